#pragma once

#include "core/eval/report.h"
#include "ui/icons.h"

#include <QWidget>

#include <functional>

namespace assay {

/// One check: icon by severity, title, evidence; below, what to do; at the right, one thing it offers.
class FindingRow : public QWidget
{
    Q_OBJECT
public:
    explicit FindingRow(const Finding& finding, QWidget* parent = nullptr);
    /// A check that found everything in order.
    FindingRow(const QString& title, const QString& evidence, QWidget* parent = nullptr);

    /// A button that does something about it.
    void offer(const QString& text, const QString& tooltip, std::function<void()> action);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build(Icon icon, ColorRole role, const QString& title, const QString& evidence,
               const QString& advice);
};

/// The list of checks, worst first and those that passed last, replaced as a whole.
class FindingList : public QWidget
{
    Q_OBJECT
public:
    explicit FindingList(QWidget* parent = nullptr);
    /// Findings, and the table `checks_passed` of the report.
    void setReport(const Report& report);
    /// Findings shown, without what passed.
    int count() const { return m_count; }
    int passed() const { return m_passed; }

Q_SIGNALS:
    /// The user takes what a finding offers: another value of a setting.
    void settingOffered(const QString& id, const QString& text);

private:
    void addOffer(FindingRow& row, const Finding& finding, const Report& report);

    int m_count = 0, m_passed = 0;
};

} // namespace assay
