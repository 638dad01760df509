#include "ui/pages/steps_key_legend.h"

#include "ui/widgets/key_legend.h"

namespace assay {

namespace {

QStringList keys(std::initializer_list<const char*> names)
{
    QStringList list;
    for (const char* name : names)
        list << QString::fromUtf8(name);
    return list;
}

} // namespace

StepsKeyLegend::StepsKeyLegend(QWidget* parent)
    : QStackedWidget(parent)
{
    addWidget(new KeyLegend({{keys({"↑", "↓"}), QStringLiteral("step")},
                             {keys({"J", "K"}), QStringLiteral("next, previous error")},
                             {keys({"N", "P"}), QStringLiteral("solution")},
                             {keys({"X"}), QStringLiteral("only disagreements")},
                             {keys({"[", "]"}), QStringLiteral("evaluation")}},
                            Qt::AlignLeft));
    addWidget(new KeyLegend({{keys({"←", "→"}), QStringLiteral("answer")},
                             {keys({"J", "K"}), QStringLiteral("next, previous wrong pair")},
                             {keys({"N", "P"}), QStringLiteral("pair")},
                             {keys({"X"}), QStringLiteral("only wrong pairs")},
                             {keys({"[", "]"}), QStringLiteral("evaluation")}},
                            Qt::AlignLeft));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

} // namespace assay
