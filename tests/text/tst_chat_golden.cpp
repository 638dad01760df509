#include "core/text/chat/chat_template.h"
#include "tests/support/golden_json.h"

using namespace assay;
using namespace assay::tests;

namespace {

std::vector<Message> messagesOf(const Json& list)
{
    std::vector<Message> messages;
    for (const auto& message : list)
        messages.push_back({message.at("role").get<std::string>(), message.at("content").get<std::string>()});
    return messages;
}

std::string textOr(const Json& value, const std::string& missing)
{
    return value.is_string() ? value.get<std::string>() : missing;
}

/// What differs from the expected rendering; empty = nothing.
std::string differenceOf(const Result<std::string>& rendered, const Json& row)
{
    if (row.contains("error")) {
        if (rendered)
            return "rendered, expected the error " + row.at("error").dump();
        const auto& error = rendered.error();
        return error.code == ErrorCode::BadData &&
                       error.message == "the template says: " + row.at("error").get<std::string>()
                   ? ""
                   : "error " + error.text();
    }
    if (!rendered)
        return rendered.error().text();
    return *rendered == row.at("output") ? ""
                                         : Json(*rendered).dump() + " expected " + row.at("output").dump();
}

} // namespace

/// Renderings of published templates as Jinja itself writes them, errors that templates raise included.
class TestChatGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void huggingFace();
    void published();
    void noTools();
};

void TestChatGolden::huggingFace()
{
    NEED_TEST_DATA("golden-hf/chat_templates.json");
    const auto all = readJson("golden-hf/chat_templates.json");
    QVERIFY(!all.at("renderings").empty());
    int errors = 0;
    for (const auto& row : all.at("renderings")) {
        const auto& given = all.at("templates").at(row.at("template").get<std::string>());
        const auto chat = ChatTemplate::parse(given.at("template"), textOr(given.at("bos_token"), ""),
                                              textOr(given.at("eos_token"), ""));
        QVERIFY_RESULT(chat);
        const auto messages =
            messagesOf(all.at("conversations").at(row.at("conversation").get<std::string>()));
        const auto difference =
            differenceOf(chat->render(messages, row.at("add_generation_prompt").get<bool>()), row);
        QVERIFY2(difference.empty(),
                 (row.at("template").dump() + row.at("conversation").dump() + ": " + difference).c_str());
        errors += row.contains("error") ? 1 : 0;
    }
    qInfo("%zu renderings, %d of them errors", all.at("renderings").size(), errors);
}

void TestChatGolden::published()
{
    NEED_TEST_DATA("derived-chat-expected/expected.jsonl");
    const auto rows = readJsonLines("derived-chat-expected/expected.jsonl");
    const auto contexts = readJson("derived-chat-expected/contexts.json");
    QVERIFY(!rows.empty());
    int errors = 0;
    for (const auto& row : rows) {
        std::ifstream file(testData() / "chat-templates" / row.at("template").get<std::string>(),
                           std::ios::binary);
        const std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const auto chat = ChatTemplate::parse(source, row.at("bos_token"), row.at("eos_token"));
        QVERIFY_RESULT(chat);
        const auto messages = messagesOf(contexts.at(row.at("context").get<std::string>()));
        const auto difference =
            differenceOf(chat->render(messages, row.at("add_generation_prompt").get<bool>()), row);
        QVERIFY2(difference.empty(),
                 (row.at("template").dump() + row.at("context").dump() + ": " + difference).c_str());
        errors += row.contains("error") ? 1 : 0;
    }
    qInfo("%zu renderings, %d of them errors", rows.size(), errors);
}

/// transformers gives `tools` and `documents` to every template, as none.
void TestChatGolden::noTools()
{
    const auto chat =
        ChatTemplate::parse("{% if tools is not none or documents is not none %}TOOLS {% endif %}"
                            "{{ messages[-1].content }}",
                            "", "");
    QVERIFY_RESULT(chat);
    const auto text = chat->render(std::vector<Message>{{"user", "hello"}}, false);
    QVERIFY_RESULT(text);
    QCOMPARE(*text, std::string("hello"));
}

QTEST_GUILESS_MAIN(TestChatGolden)
#include "tst_chat_golden.moc"
