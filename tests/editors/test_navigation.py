"""Hovers, definitions, references and diagnostics, as an editor gets them."""

from __future__ import annotations

from pathlib import Path

from editor_client import Editor, talk

CUSTOMERS, ORDERS = "models/marts/customers.sql", "models/marts/orders.sql"
STG_ORDERS, MARTS = "models/staging/stg_orders.sql", "models/marts/marts.yml"


def test_hovers_definitions_and_references(jaffle: Path) -> None:
    """One conversation: the server is started once."""
    hovers: list[str] = []
    definitions: list[list[str]] = []
    references: list[list[str]] = []

    async def conversation(editor: Editor) -> None:
        editor.open(CUSTOMERS)
        hovers.extend(
            [
                await editor.hover(CUSTOMERS, "sum(amount)", "amount"),
                await editor.hover(CUSTOMERS, "orders.spent", "spent"),
                await editor.hover(CUSTOMERS, "ref('orders')", "orders"),
                await editor.hover(MARTS, "name: customer_id", "customer_id"),
                await editor.hover(CUSTOMERS, "group by", "group"),
                await editor.hover(CUSTOMERS, "orders.spent", "orders"),
            ]
        )
        definitions.extend(
            [
                await editor.definition(CUSTOMERS, "sum(amount)", "amount"),
                await editor.definition(ORDERS, "orders.order_id", "order_id"),
                await editor.definition(CUSTOMERS, ".orders, 0", "orders"),
                await editor.definition(CUSTOMERS, "ref('stg_customers')", "stg_customers"),
                await editor.definition(CUSTOMERS, "left join orders", "orders"),
                await editor.definition(STG_ORDERS, "customer as", "customer"),
            ]
        )
        references.extend(
            [
                await editor.references(MARTS, "name: customer_id", "customer_id", declared=True),
                await editor.references(ORDERS, "as amount", "amount"),
            ]
        )

    talk(jaffle, conversation)

    amount, spent, orders, declared, keyword, qualifier = hovers
    assert "`orders.amount`" in amount
    assert "Dollars that were paid for it" in amount
    assert "- `int_payments_by_order.total_amount` IDENTITY" in amount
    assert "- `customers.lifetime_value` AGGREGATION" in amount
    assert "2 tests" in amount
    assert "`orders.spent`" in spent
    assert "- `orders.amount` AGGREGATION" in spent
    assert "**`orders`** model" in orders
    assert "`customers.customer_id`" in declared
    assert keyword == ""
    assert "**`orders`** CTE" in qualifier

    assert definitions == [
        ["models/marts/orders.sql:17:30"],
        ["models/staging/stg_orders.sql:4:11"],
        ["models/marts/customers.sql:8:28"],
        ["models/staging/stg_customers.sql:1:1"],
        ["models/marts/customers.sql:3:6"],
        ["seeds/raw_orders.csv:1:4"],
    ]

    everywhere, reads = references
    assert everywhere == [
        "models/marts/customers.sql:16:15",
        "models/marts/marts.yml:5:15",
        "models/marts/marts.yml:21:56",
    ]
    assert "models/marts/customers.sql:9:13" in reads


def test_a_column_of_a_seed_is_defined_by_the_header_also_if_yaml_describes_it(
    jaffle: Path,
) -> None:
    described = "seeds:\n  - name: raw_orders\n    columns:\n      - name: customer\n"
    (jaffle / "seeds" / "seeds.yml").write_text(described, encoding="utf-8")
    definitions: list[list[str]] = []

    async def conversation(editor: Editor) -> None:
        editor.open(STG_ORDERS)
        definitions.append(await editor.definition(STG_ORDERS, "customer as", "customer"))

    talk(jaffle, conversation)
    assert definitions == [["seeds/raw_orders.csv:1:4"]]


def test_diagnostics_follow_the_typing_also_in_other_files(jaffle: Path) -> None:
    async def conversation(editor: Editor) -> None:
        text = editor.text(STG_ORDERS)
        editor.open(STG_ORDERS)
        await editor.until(lambda: editor.uri(STG_ORDERS) in editor.client.diagnostics)
        assert not [each for each in editor.problems(ORDERS) if "unresolved" in each]

        editor.edit(STG_ORDERS, text.replace("id as order_id", "id as number"))
        await editor.until(lambda: any("unresolved" in each for each in editor.problems(ORDERS)))
        assert any("order_id" in each for each in editor.problems(ORDERS))

        editor.edit(STG_ORDERS, text)
        await editor.until(
            lambda: not any("unresolved" in each for each in editor.problems(ORDERS))
        )

    talk(jaffle, conversation)


def test_a_text_that_does_not_parse_concerns_its_own_file_only(jaffle: Path) -> None:
    async def conversation(editor: Editor) -> str:
        text = editor.text(STG_ORDERS)
        broken = text.replace("    status\n", "    status,\n    coalesce(\n")
        editor.open(STG_ORDERS)
        await editor.until(lambda: editor.uri(STG_ORDERS) in editor.client.diagnostics)
        before = editor.problems(ORDERS)
        editor.edit(STG_ORDERS, broken)
        await editor.until(
            lambda: any("parse-error" in each for each in editor.problems(STG_ORDERS))
        )
        assert editor.problems(ORDERS) == before
        return await editor.hover(STG_ORDERS, "id as order_id", "id", text=broken)

    assert "raw_orders.id" in talk(jaffle, conversation)


def test_a_column_of_a_union_is_defined_by_every_branch(jaffle: Path) -> None:
    people = jaffle / "models" / "marts" / "people.sql"
    people.write_text(
        "select 1 as n, 'a' as kind\nunion all\nselect 2 as number, 'b' as kind\nunion all\nselect 3, 'c'\n",
        encoding="utf-8",
    )
    reader = jaffle / "models" / "marts" / "counted.sql"
    reader.write_text("select n, kind from {{ ref('people') }}\n", encoding="utf-8")
    definitions: list[list[str]] = []

    async def conversation(editor: Editor) -> None:
        name = "models/marts/counted.sql"
        editor.open(name)
        definitions.append(await editor.definition(name, "n, kind", "n"))
        definitions.append(await editor.definition(name, "n, kind", "kind"))

    talk(jaffle, conversation)
    assert definitions == [
        ["models/marts/people.sql:1:13", "models/marts/people.sql:3:13"],
        ["models/marts/people.sql:1:23", "models/marts/people.sql:3:28"],
    ]
