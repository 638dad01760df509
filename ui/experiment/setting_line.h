#pragma once

#include <QLineEdit>

namespace assay {

/// A line for one setting. While nobody types in it, a value that is too long is elided: a path in its
/// middle, because its end says most, anything else at its end.
class SettingLine : public QLineEdit
{
    Q_OBJECT
public:
    explicit SettingLine(Qt::TextElideMode elide, QWidget* parent = nullptr);

    /// What is painted: the text, elided where it does not fit and nobody types.
    QString shownText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    int textWidth() const;
    void updateToolTip();

    Qt::TextElideMode m_elide;
};

} // namespace assay
