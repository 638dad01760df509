#pragma once

#include <QListWidget>

#include <vector>

namespace assay {

class FormGroup;

/// The groups of the form beside it: title, how many settings differ from their default, and whether one is
/// invalid.
class GroupList : public QListWidget
{
    Q_OBJECT
public:
    explicit GroupList(QWidget* parent = nullptr);
    void setGroups(const std::vector<FormGroup*>& groups);
    /// Counts and marks from the groups.
    void refresh();

Q_SIGNALS:
    void chosen(const QString& group);

private:
    std::vector<FormGroup*> m_groups;
};

} // namespace assay
