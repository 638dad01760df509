#include "ui/model/export_dialog.h"

#include "core/base/byte_size.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace assay {

namespace {

/// One word for a shell.
QString quoted(const QString& word)
{
    QString inner = word;
    return QLatin1Char('\'') + inner.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

QString chosen(const QComboBox* box)
{
    return box->currentData().toString();
}

} // namespace

QString exportedText(const ExportReport& report)
{
    const auto& record = report.record;
    QString text = QStringLiteral("Exported to %1: %2, %3, %4. ")
                       .arg(QDir::toNativeSeparators(QString::fromStdString(report.folder.string())),
                            QString::fromStdString(record.architecture), QString::fromStdString(record.dtype),
                            bytesText(report.bytes));
    text += record.largestChange == 0.0
                ? QStringLiteral("Read back: %1 scores equal.").arg(countText(record.probeScores))
                : QStringLiteral("Read back: %1 scores, at most %2 from the original.")
                      .arg(countText(record.probeScores), QString::number(record.largestChange, 'e', 2));
    for (const auto& note : record.notes)
        text += QLatin1Char('\n') + QString::fromStdString(note);
    return text;
}

ExportDialog::ExportDialog(ModelRequests& requests, const QString& run, qint64 step, const QString& name,
                           QWidget* parent)
    : QDialog(parent)
    , m_requests(requests)
    , m_run(run)
    , m_step(step)
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export model"));
    setMinimumWidth(scaled(560));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(12));
    auto* origin = new TextLabel(step > 0 ? tr("%1, checkpoint of step %2").arg(name, countText(step))
                                          : tr("%1, newest checkpoint").arg(name),
                                 TextSize::Section);
    origin->setElided(true);
    column->addWidget(origin);
    m_fields = new QWidget;
    auto* form = new QFormLayout(m_fields);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(scaled(16));
    form->setVerticalSpacing(scaled(8));
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addFields(form);
    column->addWidget(m_fields);
    m_message = new TextLabel;
    m_message->setObjectName(QStringLiteral("exportMessage"));
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_message->setMinimumHeight(scaled(54));
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_message, 1);
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(8));
    addButtons(row);
    column->addLayout(row);
    connect(&m_requests, &ModelRequests::exporting, this, [this](const QString& phase) {
        if (m_running)
            say(phase + QStringLiteral("…"), false);
    });
    setRunning(false);
}

QComboBox* ExportDialog::addChoice(QFormLayout* form, const QString& label, const char* name,
                                   const QList<QPair<QString, QString>>& choices)
{
    auto* box = new QComboBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(label);
    for (const auto& [id, text] : choices)
        box->addItem(text, id);
    form->addRow(label, box);
    return box;
}

QLineEdit* ExportDialog::addLine(QFormLayout* form, const QString& label, const char* name,
                                 const QString& placeholder)
{
    auto* line = new QLineEdit;
    line->setObjectName(QString::fromLatin1(name));
    line->setAccessibleName(label);
    line->setPlaceholderText(placeholder);
    form->addRow(label, line);
    return line;
}

void ExportDialog::addFields(QFormLayout* form)
{
    auto* place = new QWidget;
    auto* row = new QHBoxLayout(place);
    row->setContentsMargins(0, 0, 0, 0);
    m_target = new QLineEdit;
    m_target->setObjectName(QStringLiteral("exportTarget"));
    m_target->setAccessibleName(tr("Folder"));
    m_target->setPlaceholderText(tr("A new folder, or an empty one"));
    m_target->setFont(codeFont());
    connect(m_target, &QLineEdit::textChanged, this, [this] { setRunning(m_running); });
    auto* choose = new QPushButton(icon(Icon::Open), tr("Choose…"));
    connect(choose, &QPushButton::clicked, this, &ExportDialog::chooseTarget);
    row->addWidget(m_target, 1);
    row->addWidget(choose);
    form->addRow(tr("Folder"), place);
    m_format = addChoice(form, tr("Format"), "exportFormat",
                         {{QStringLiteral("huggingface"), tr("Hugging Face: transformers loads it")},
                          {QStringLiteral("torchtune"), tr("torchtune")}});
    m_dtype = addChoice(form, tr("Type"), "exportType",
                        {{QStringLiteral("float32"), QStringLiteral("float32")},
                         {QStringLiteral("bfloat16"), QStringLiteral("bfloat16")}});
    m_shards = addLine(form, tr("Largest file"), "exportShards", {});
    m_shards->setText(QStringLiteral("5GB"));
    m_class =
        addChoice(form, tr("Class"), "exportClass",
                  {{{}, tr("As the head reads")},
                   {QStringLiteral("token-classification"), tr("Token classification: every step")},
                   {QStringLiteral("sequence-classification"), tr("Sequence classification: one score")}});
    m_bias = addChoice(form, tr("Head bias"), "exportBias",
                       {{{}, tr("Ask where the class has no place for it")},
                        {QStringLiteral("keep"), tr("Keep: Assay reads it, others leave it out")},
                        {QStringLiteral("drop"), tr("Drop: scores change by it")}});
    m_temperature = addLine(form, tr("Temperature"), "exportTemperature", tr("1, a number, or fit"));
    m_threshold = addLine(form, tr("Threshold"), "exportThreshold", tr("Steps: a number, or fit"));
    m_aggregation = addChoice(form, tr("Aggregation"), "exportAggregation",
                              {{{}, tr("None: steps stay apart")},
                               {QStringLiteral("last"), tr("Last step")},
                               {QStringLiteral("min"), tr("Smallest step")},
                               {QStringLiteral("mean"), tr("Mean of the steps")},
                               {QStringLiteral("product"), tr("Product of the steps")}});
    m_centre =
        addLine(form, tr("Centre on"), "exportCentre", tr("Pairs: a file, or rows for the evaluation rows"));
}

void ExportDialog::addButtons(QHBoxLayout* row)
{
    m_copy = new QPushButton(icon(Icon::Terminal), tr("Copy as command"));
    m_copy->setObjectName(QStringLiteral("exportCopy"));
    connect(m_copy, &QPushButton::clicked, this, [this] {
        const auto text = command();
        if (text)
            QGuiApplication::clipboard()->setText(*text);
        say(text ? tr("Copied: %1").arg(*text) : QString::fromStdString(text.error().text()), !text);
    });
    m_close = new QPushButton(tr("Close"));
    m_close->setObjectName(QStringLiteral("exportClose"));
    connect(m_close, &QPushButton::clicked, this, &ExportDialog::reject);
    m_export = new QPushButton(icon(Icon::Save, &Palette::onAccent), tr("Export"));
    m_export->setObjectName(QStringLiteral("exportStart"));
    m_export->setProperty("assayKind", QStringLiteral("primary"));
    m_export->setDefault(true);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    row->addWidget(m_copy);
    row->addStretch(1);
    row->addWidget(m_close);
    row->addWidget(m_export);
}

void ExportDialog::chooseTarget()
{
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Folder for the export"), m_target->text());
    if (!folder.isEmpty())
        m_target->setText(QDir::toNativeSeparators(folder));
}

Result<ModelRequests::ExportRequest> ExportDialog::request() const
{
    ModelRequests::ExportRequest request;
    request.source = m_run.toStdString();
    if (m_step > 0)
        request.step = m_step;
    request.target = QDir::fromNativeSeparators(m_target->text().trimmed()).toStdString();
    auto& options = request.options;
    options.format =
        chosen(m_format) == QLatin1String("torchtune") ? ExportFormat::Torchtune : ExportFormat::HuggingFace;
    options.dtype = chosen(m_dtype).toStdString();
    TRY(options.shardBytes, parseByteSize(m_shards->text().trimmed().toStdString(), "Largest file"));
    if (!chosen(m_class).isEmpty())
        options.perToken = chosen(m_class) == QLatin1String("token-classification");
    if (!chosen(m_bias).isEmpty())
        options.headBias = chosen(m_bias) == QLatin1String("keep") ? HeadBias::Keep : HeadBias::Drop;
    options.calibration.temperature = m_temperature->text().trimmed().toStdString();
    options.calibration.threshold = m_threshold->text().trimmed().toStdString();
    options.calibration.centre = m_centre->text().trimmed().toStdString();
    options.calibration.aggregation = chosen(m_aggregation).toStdString();
    return request;
}

Result<QString> ExportDialog::command() const
{
    TRY(const auto asked, request());
    QStringList words{QStringLiteral("assay export"), m_run, quoted(QString::fromStdString(asked.target))};
    if (m_step > 0)
        words << QStringLiteral("--checkpoint %1").arg(m_step);
    const auto add = [&words](const char* flag, const QString& value, const char* usual) {
        if (!value.isEmpty() && value != QLatin1String(usual))
            words << QLatin1String(flag) << quoted(value);
    };
    add("--format", chosen(m_format), "huggingface");
    add("--dtype", chosen(m_dtype), "float32");
    add("--shard-size", m_shards->text().trimmed(), "5GB");
    add("--architecture", chosen(m_class), "");
    add("--head-bias", chosen(m_bias), "");
    add("--temperature", m_temperature->text().trimmed(), "");
    add("--threshold", m_threshold->text().trimmed(), "");
    add("--aggregation", chosen(m_aggregation), "");
    add("--centre", m_centre->text().trimmed(), "");
    return words.join(QLatin1Char(' '));
}

void ExportDialog::start()
{
    const auto asked = request();
    if (!asked) {
        say(QString::fromStdString(asked.error().text()), true);
        return;
    }
    setRunning(true);
    say(tr("Waiting for the engine…"), false);
    m_requests.exportModel(*asked, this, [this](const Result<ExportReport>& report) { finish(report); });
}

void ExportDialog::finish(const Result<ExportReport>& report)
{
    setRunning(false);
    if (report)
        say(exportedText(*report), false);
    else
        say(QString::fromStdString(report.error().text()), report.error().code != ErrorCode::Cancelled);
}

void ExportDialog::setRunning(bool running)
{
    m_running = running;
    m_fields->setEnabled(!running);
    const bool placed = !m_target->text().trimmed().isEmpty();
    m_export->setEnabled(!running && placed);
    m_export->setToolTip(placed ? QString() : tr("Say first where it shall go"));
    m_close->setText(running ? tr("Cancel") : tr("Close"));
}

void ExportDialog::say(const QString& text, bool fault)
{
    m_message->setColorRole(fault ? &Palette::err : &Palette::text2);
    m_message->setText(text);
}

void ExportDialog::reject()
{
    if (m_running) {
        m_requests.cancelExport();
        say(tr("Stopping…"), false);
        return;
    }
    QDialog::reject();
}

} // namespace assay
