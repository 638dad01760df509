#include "ui/edits/edit_line.h"

#include "ui/widgets/text_label.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>

#include <utility>

namespace assay {

namespace {

constexpr int kSayMilliseconds = 12000;

} // namespace

EditLine::EditLine(QWidget* parent)
    : QWidget(parent)
    , m_role(&Palette::text2)
    , m_text(new TextLabel)
    , m_field(new QLineEdit)
    , m_lines(new QPlainTextEdit)
    , m_button(new QPushButton)
    , m_close(new QPushButton(icon(Icon::Close), {}))
{
    setObjectName(QStringLiteral("editLine"));
    m_field->setObjectName(QStringLiteral("editLine.field"));
    m_lines->setObjectName(QStringLiteral("editLine.lines"));
    m_button->setObjectName(QStringLiteral("editLine.button"));
    m_close->setObjectName(QStringLiteral("editLine.close"));
    m_close->setProperty("assayKind", QStringLiteral("quiet"));
    m_text->setWordWrap(true);
    m_lines->setFixedHeight(scaled(84));
    m_lines->setTabChangesFocus(true);
    m_lines->installEventFilter(this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(38), scaled(5), scaled(8), scaled(5));
    row->setSpacing(scaled(8));
    row->addWidget(m_text);
    row->addWidget(m_field, 1);
    row->addWidget(m_lines, 1);
    row->addWidget(m_button);
    row->addWidget(m_close);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kSayMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        // Not under the pointer and not while someone is about to press the button.
        underMouse() || isAncestorOf(QApplication::focusWidget()) ? m_timer.start() : dismiss();
    });
    connect(m_field, &QLineEdit::returnPressed, this, &EditLine::accept);
    connect(m_close, &QPushButton::clicked, this, &EditLine::dismiss);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (asking()) {
            accept();
            return;
        }
        const auto pressed = std::exchange(m_pressed, nullptr);
        dismiss();
        if (pressed)
            pressed();
    });
    setVisible(false);
}

void EditLine::present(Icon id, ColorRole role, const QString& sentence)
{
    m_timer.stop();
    m_accepted = nullptr;
    m_pressed = nullptr;
    m_icon = id;
    m_role = role;
    m_text->setText(sentence);
    m_text->setColorRole(role == &Palette::err ? role : &Palette::text);
    m_text->setWordWrap(true);
    m_text->setElided(false);
    m_text->setToolTip({});
    m_text->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_field->setVisible(false);
    m_lines->setVisible(false);
    m_button->setVisible(false);
    m_button->setProperty("assayKind", QVariant());
    m_button->setIcon({});
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    setAccessibleName(sentence);
    setVisible(true);
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
    update();
}

void EditLine::ask(const EditQuestion& question, std::function<void(const QString&)> accepted)
{
    if (!isAncestorOf(QApplication::focusWidget()))
        m_before = QApplication::focusWidget();
    present(Icon::Edit, &Palette::accent, question.label);
    m_text->setWordWrap(false); // one line beside the field: what does not fit is in the tooltip
    m_text->setElided(true);
    m_text->setToolTip(question.label);
    m_accepted = std::move(accepted);
    m_mayBeEmpty = question.mayBeEmpty;
    m_severalLines = question.severalLines;
    m_button->setText(question.severalLines ? tr("Save (Ctrl+Enter)") : tr("Save"));
    m_button->setVisible(true);
    m_close->setToolTip(tr("Cancel (Esc)"));
    m_close->setAccessibleName(tr("Cancel"));
    if (m_severalLines) {
        m_lines->setAccessibleName(question.label);
        m_lines->setPlaceholderText(question.placeholder);
        m_lines->setPlainText(question.text);
        m_lines->moveCursor(QTextCursor::End);
        m_lines->setVisible(true);
        m_lines->setFocus(Qt::OtherFocusReason);
    } else {
        m_field->setAccessibleName(question.label);
        m_field->setPlaceholderText(question.placeholder);
        m_field->setCompleter(nullptr);
        m_field->setText(question.text);
        m_field->selectAll();
        m_field->setVisible(true);
        m_field->setFocus(Qt::OtherFocusReason);
    }
}

void EditLine::setCompletions(const QStringList& words)
{
    auto* completer = new QCompleter(words, m_field);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    m_field->setCompleter(completer);
}

void EditLine::say(const QString& sentence, const QString& button, std::function<void()> pressed)
{
    if (asking())
        return; // what is being typed must not vanish because an edit before it was written
    present(Icon::Check, &Palette::ok, sentence);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_pressed = std::move(pressed);
    m_button->setText(button);
    m_button->setIcon(icon(Icon::Revert));
    m_button->setVisible(!button.isEmpty());
    m_timer.start();
}

void EditLine::complain(const QString& sentence, const QString& reason)
{
    const QString text = sentence + QLatin1Char('\n') + reason;
    present(Icon::Error, &Palette::err, text);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_pressed = [text] { QGuiApplication::clipboard()->setText(text); };
    m_button->setText(tr("Copy details"));
    m_button->setIcon(icon(Icon::Copy));
    m_button->setVisible(true);
}

QString EditLine::typed() const
{
    return (m_severalLines ? m_lines->toPlainText() : m_field->text()).trimmed();
}

void EditLine::accept()
{
    if (!asking() || (typed().isEmpty() && !m_mayBeEmpty))
        return;
    const QString text = typed();
    const auto accepted = std::exchange(m_accepted, nullptr);
    dismiss();
    accepted(text);
}

void EditLine::dismiss()
{
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    m_timer.stop();
    m_accepted = nullptr;
    m_pressed = nullptr;
    if (hadFocus && m_before)
        m_before->setFocus(Qt::OtherFocusReason);
    setVisible(false);
}

QString EditLine::sentence() const
{
    return isVisible() ? m_text->text() : QString();
}

void EditLine::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QWidget::keyPressEvent(event);
}

bool EditLine::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_lines && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers().testFlag(Qt::ControlModifier)) {
            accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void EditLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Palette& p = colors();
    painter.fillRect(rect(), m_role == &Palette::err ? p.errSoft : p.surface);
    painter.fillRect(QRect(0, 0, 4, height()), p.*m_role);
    painter.setPen(QPen(p.line2, 0));
    painter.drawLine(rect().topLeft(), rect().topRight());
    const int side = scaled(16);
    const double top = m_severalLines && asking() ? scaled(10) : (height() - side) / 2.0;
    paintIcon(&painter, QRectF(scaled(14), top, side, side), m_icon, p.*m_role);
}

} // namespace assay
