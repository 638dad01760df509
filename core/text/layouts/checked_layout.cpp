#include "core/text/layouts/checked_layout.h"

#include "core/text/layouts/row_error.h"
#include "core/text/unicode/text_faults.h"

namespace assay {

namespace {

class CheckedLayout : public Layout
{
public:
    explicit CheckedLayout(LayoutPtr layout)
        : m_layout(std::move(layout))
    {}

    const LayoutOptions& options() const override { return m_layout->options(); }

    Result<LaidOut> layOut(const Example& example, bool training) const override
    {
        const TextFaults faults;
        auto row = m_layout->layOut(example, training);
        if (row.ok() && faults.first())
            return rowError(example, *faults.first(),
                            "Remove the row, or choose a model with another tokenizer");
        return row;
    }

private:
    LayoutPtr m_layout;
};

} // namespace

LayoutPtr withTextFaults(LayoutPtr layout)
{
    return std::make_shared<CheckedLayout>(std::move(layout));
}

} // namespace assay
