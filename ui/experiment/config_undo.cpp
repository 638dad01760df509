#include "ui/experiment/config_undo.h"

#include "core/config/fields.h"
#include "ui/experiment/config_form.h"

#include <utility>

namespace assay {

EditField::EditField(ConfigForm& form, const QString& id, const QString& before, const QString& after)
    : m_form(form)
    , m_id(id)
    , m_before(before)
    , m_after(after)
{
    const Field* field = findField(id.toStdString());
    const QString label =
        field ? QString::fromUtf8(field->label.data(), static_cast<qsizetype>(field->label.size())) : id;
    setText(QObject::tr("change of %1").arg(label));
}

void EditField::undo()
{
    m_done = false;
    m_form.setField(m_id, m_before);
}

void EditField::redo()
{
    if (!m_done)
        m_form.setField(m_id, m_after);
    m_done = true;
}

bool EditField::mergeWith(const QUndoCommand* other)
{
    const auto* edit = static_cast<const EditField*>(other);
    if (edit->m_id != m_id)
        return false;
    m_after = edit->m_after;
    return true;
}

ReplaceExperiment::ReplaceExperiment(ExperimentDraft before, ExperimentDraft after, const QString& text,
                                     Apply apply)
    : QUndoCommand(text)
    , m_before(std::move(before))
    , m_after(std::move(after))
    , m_apply(std::move(apply))
{}

} // namespace assay
