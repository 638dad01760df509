#include "ui/widgets/empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay {

EmptyState::EmptyState(const QString& title, const QString& sentence, QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel)
    , m_sentence(new QLabel)
    , m_actions(new QHBoxLayout)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    for (auto* label : {m_title, m_sentence}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignHCenter);
    }
    m_title->setFont(textFont(TextSize::EmptyTitle));
    m_sentence->setFixedWidth(scaled(380));
    m_actions->setSpacing(scaled(8));
    m_actions->addStretch();
    m_actions->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(scaled(12));
    layout->addStretch(2);
    layout->addWidget(m_title);
    layout->addWidget(m_sentence, 0, Qt::AlignHCenter);
    layout->addSpacing(scaled(6));
    layout->addLayout(m_actions);
    layout->addStretch(3);
    setText(title, sentence);
}

void EmptyState::setText(const QString& title, const QString& sentence)
{
    m_title->setText(title);
    m_sentence->setText(sentence);
    // A centred label gets the height of its hint, which is for another width than it gets.
    m_sentence->setFixedHeight(m_sentence->heightForWidth(m_sentence->width()));
    setAccessibleName(title);
    setAccessibleDescription(sentence);
}

QPushButton* EmptyState::addAction(const QString& text, Icon id, bool primary)
{
    auto* button = new QPushButton(text);
    button->setIcon(icon(id, primary ? &Palette::onAccent : &Palette::text2));
    if (primary)
        button->setProperty("assayKind", "primary");
    m_actions->insertWidget(m_actions->count() - 1, button);
    return button;
}

} // namespace assay
