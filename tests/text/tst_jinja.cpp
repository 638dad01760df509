#include "core/text/jinja/template.h"
#include "tests/support/test_data.h"

using namespace assay;

namespace {

Result<std::string> rendered(const std::string& source)
{
    TRY(const auto made, JinjaTemplate::parse(source));
    return made.render(nlohmann::ordered_json::parse(
        R"({"text": "Abc", "number": 7, "list": [3, 1, 2], "none": null, "yes": true,
            "object": {"b": 1, "a": [true, "x"]},
            "messages": [{"role": "user", "content": " Hi "}, {"role": "assistant", "content": "Yo"}]})"));
}

} // namespace

/// The part of Jinja that is taken, what is refused, and the limits. Expected texts are those of Jinja 3.1
/// under the settings that transformers gives it.
class TestJinja : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void renders_data();
    void renders();
    void refuses_data();
    void refuses();
    void limits_data();
    void limits();
    void whatATemplateSaysIsPlain();
};

void TestJinja::renders_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
        QTest::newRow(source) << source << expected;
    };
    // Space around tags.
    row("a\n  {% if yes %}\nb\n  {% endif %}\nc\n", "a\nb\nc");
    row("a  {% if yes %} b {%- endif %}  \n c", "a   b  \n c");
    row("a {{- text -}} \n b", "aAbcb");
    row("a\n  {%+ if yes %}b{% endif +%}\nc", "a\n  b\nc");
    row("{# gone #}\nx{# gone #} y", "x y");
    row("{% raw %}{{ x }}{% endraw %}!", "{{ x }}!");
    // Values and operators.
    row("{{ yes }} {{ none }} {{ nothing }} {{ list }} {{ object }}",
        "True None  [3, 1, 2] {'b': 1, 'a': [True, 'x']}");
    row("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 1e3 }} {{ 2 * 'ab' if false else 'ab' * 2 }}",
        "3 -4 2 3.5 1000.0 abab");
    row("{{ (1 + 2) ~ 3 }} {{ 'a' 'b' }} {{ '\\n\\x41\\u00e9' }}", "33 ab \nA\xc3\xa9");
    row("{{ not yes or number > 3 and 'b' in text }} {{ 4 not in list }} {{ 'a' in object }}",
        "True True True");
    row("{{ list[-1] }} {{ list[1:] }} {{ list[::-1] }} {{ text[:2] }} {{ list[9] }}|{{ object['a'][1] }}",
        "2 [1, 2] [2, 1, 3] Ab |x");
    row("{{ (1, 'a') | length }} {{ {'k': 2}.k }} {{ object.get('c', 5) }}", "2 2 5");
    // Statements.
    row("{% for m in messages if m.role == 'user' %}{{ loop.index }}{{ m.content | trim }}{% else %}none{% "
        "endfor %}",
        "1Hi");
    row("{% for k, v in object.items() %}{{ k }}={{ v | tojson }}{{ ', ' if not loop.last }}{% endfor %}",
        "b=1, a=[true, \"x\"]");
    row("{% for i in range(5) %}{% if i == 1 %}{% continue %}{% elif i == 3 %}{% break %}{% endif %}{{ i "
        "}}{% endfor %}",
        "02");
    row("{% set x = 1 %}{% for i in list %}{% set x = i %}{% endfor %}{{ x }}", "1");
    row("{% set ns = namespace(x=0) %}{% for i in list %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}",
        "6");
    row("{% set x %}a{{ number }}{% endset %}{{ x }} {% set a, b = 1, 2 %}{{ b }}", "a7 2");
    row("{% macro f(a, b='-') %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, b=2) }}", "1-12");
    row("{% generation %}x{% endgeneration %}", "x");
    // Filters, tests, methods.
    row("{{ object | tojson(indent=2) }}", "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    \"x\"\n  ]\n}");
    row("{{ messages | map(attribute='role') | join('+') }} {{ messages | selectattr('role', 'equalto', "
        "'user') | list | length }}",
        "user+assistant 1");
    row("{{ nothing | default('d') }} {{ '' | default('e', true) }} {{ list | first }} {{ list | last }} {{ "
        "'5' | int + 1 }}",
        "d e 3 2 6");
    row("{{ nothing is defined }} {{ text is string }} {{ none is none }} {{ list is not mapping }} {{ 3 is "
        "odd }}",
        "False True True True True");
    row("{{ ' a ' . strip() }}{{ 'a,b'.split(',')[1] }}{{ text.upper() }}{{ text.startswith('A') }}{{ "
        "'abc'.replace('b', '-') }}",
        "abABCTruea-c");
    row("{{ 'a\nb' | indent(2) }} {{ 'hello world' | title }} {{ 'hELLO' | capitalize }}",
        "a\n  b Hello World Hello");
}

void TestJinja::renders()
{
    QFETCH(QString, source);
    QFETCH(QString, expected);
    const auto text = rendered(source.toStdString());
    QVERIFY_RESULT(text);
    QCOMPARE(*text, expected.toStdString());
}

void TestJinja::refuses_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* source, const char* message) {
        QTest::newRow(source) << source << message;
    };
    row("\n{% include 'x' %}", "line 2: the block \"include\" is not taken");
    row("{{ text | shuffle }}", "line 1: the filter \"shuffle\" is not taken");
    row("{{ text is callable }}", "the test \"callable\" is not taken");
    row("{{ text.__class__ }}{{ text.__class__.mro() }}", "'str object' has no attribute '__class__'");
    row("{{ list.append(1) }}", "has no method 'append'");
    row("{{ lipsum() }}", "'lipsum' is undefined");
    row("{{ nothing.role }}", "'nothing' is undefined");
    row("{{ object.c.d }}", "has no attribute 'c'");
    row("{{ text + 1 }}", "takes no str with a int");
    row("{{ 1 / 0 }}", "divided by 0");
    row("{{ 'text", "a text does not end");
    row("{{ text", "a tag does not end");
    row("{% if yes %}", "\"endif\" is missing");
    row("{% endif %}", "\"endif\" is not expected");
    row("{{ 1 < 2 < 3 }}", "chains of comparisons");
    row("{% for i in 5 %}{% endfor %}", "a int cannot be looped over");
    row("{% set number.x = 1 %}", "is no namespace");
    row("{{ 99999999999999999999 }}", "too large");
    row("{{ 9223372036854775807 + 1 }}", "too large");
    row("{{ '\\ud800' }}", "is no character");
}

void TestJinja::refuses()
{
    QFETCH(QString, source);
    QFETCH(QString, message);
    const auto text = rendered(source.toStdString());
    QVERIFY(!text.ok());
    QVERIFY2(text.error().message.find(message.toStdString()) != std::string::npos,
             text.error().text().c_str());
    QVERIFY(text.error().code == ErrorCode::Unsupported);
}

void TestJinja::limits_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& source, const char* message) {
        QTest::newRow(name) << QString::fromStdString(source) << message;
    };
    row("steps", "{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}",
        "2,000,000 steps");
    row("range", "{{ range(200000) }}", "100,000 numbers");
    row("doubling",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "64 MiB");
    row("repetition", "{{ 'abcdefgh' * 1000000000 }}", "the template");
    row("recursion", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "too deeply");
    row("brackets", "{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}",
        "nested too deeply");
    const auto chain = [](const std::string& link) {
        std::string text = "{{ 'x'";
        for (int i = 0; i < 100000; ++i)
            text += link;
        return text + " }}";
    };
    row("sums", chain("+'y'"), "too long");
    row("joins", chain("~'y'"), "too long");
    row("conditions", chain(" and 'y'"), "too long");
    row("filters", chain("|trim"), "too long");
    row("indices", chain("[0]"), "too long");
    row("signs", "{{ " + std::string(5000, '-') + "1 }}", "nested too deeply");
    std::string blocks;
    for (int i = 0; i < 200; ++i)
        blocks += "{% if yes %}";
    row("blocks", blocks, "nested too deeply");
    row("size", std::string(2U << 20, 'x'), "more than 1 MiB");
}

void TestJinja::limits()
{
    QFETCH(QString, source);
    QFETCH(QString, message);
    const auto text = rendered(source.toStdString());
    QVERIFY(!text.ok());
    QVERIFY2(text.error().message.find(message.toStdString()) != std::string::npos,
             text.error().text().c_str());
}

void TestJinja::whatATemplateSaysIsPlain()
{
    const auto raised = rendered("{{ raise_exception('a\x1b[31m\nb\xe2\x80\xae' + 'x' * 5000) }}");
    QVERIFY(!raised.ok());
    QCOMPARE(raised.error().code, ErrorCode::BadData);
    const auto& message = raised.error().message;
    QVERIFY2(message.starts_with("the template says: a [31m b xxx"), message.c_str());
    QVERIFY2(message.size() < 400, message.c_str());
    for (const auto* source : {"{{ raise_exception('') }}", "{{ 1 / 0 }}", "{% nonsense %}"})
        QVERIFY2(!rendered(source).error().remedy.empty(), source);
}

QTEST_GUILESS_MAIN(TestJinja)
#include "tst_jinja.moc"
