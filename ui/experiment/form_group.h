#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace assay {

class FieldRow;
class FormGroupHeader;

/// A group of the form that folds; folded it shows its values in one line.
class FormGroup : public QWidget
{
    Q_OBJECT
public:
    FormGroup(const QString& id, const QString& title, QWidget* parent = nullptr);

    const QString& id() const { return m_id; }
    const QString& title() const { return m_title; }
    void addRow(FieldRow* row);
    const std::vector<FieldRow*>& rows() const { return m_rows; }

    bool isFolded() const { return m_folded; }
    void setFolded(bool folded);
    /// "2 changed, 1 invalid"
    void setCounts(int changed, int invalid);
    int changed() const { return m_changed; }
    int invalid() const { return m_invalid; }
    /// What the folded group shows.
    void setSummary(const QString& summary);

private:
    void updateHeader();

    QString m_id, m_title, m_summary;
    std::vector<FieldRow*> m_rows;
    FormGroupHeader* m_header = nullptr;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_bodyLayout = nullptr;
    int m_changed = 0, m_invalid = 0;
    bool m_folded = false;
};

} // namespace assay
