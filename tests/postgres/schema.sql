-- What the views of views/ are made of: a shop with composite types, arrays, documents, ranges, partitions, heirs.

CREATE SCHEMA archive;

CREATE TYPE mood AS ENUM ('glad', 'calm', 'cross');
CREATE TYPE place AS (lat double precision, lon double precision);
CREATE TYPE address AS (street text, city text, spot place);
CREATE TYPE item AS (sku text, pieces integer, price numeric);
CREATE DOMAIN cents AS integer CHECK (value >= 0);

CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text,
    email text,
    home address,
    work address,
    tags text[],
    feeling mood,
    referrer integer,
    profile jsonb,
    born date
);

CREATE TABLE orders (
    id integer PRIMARY KEY,
    customer_id integer,
    placed timestamp,
    amount numeric,
    fee cents,
    status text,
    lines item[],
    notes json,
    valid tsrange,
    doubled numeric GENERATED ALWAYS AS (amount * 2) STORED
);

CREATE TABLE products (
    sku text PRIMARY KEY,
    title text,
    price numeric,
    sizes integer[],
    matrix integer[],
    sheet xml,
    "Color" text,
    "group" text
);

CREATE TABLE events (
    id integer,
    at timestamptz,
    until timestamptz,
    kind text,
    body jsonb,
    customer_id integer
) PARTITION BY RANGE (at);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');

CREATE TABLE people (id integer, name text, boss integer);
CREATE TABLE staff (salary numeric, room text) INHERITS (people);

CREATE TABLE readings (id integer, at timestamp, value numeric, unit text, readings integer);
CREATE TABLE "Mixed" ("Id" integer, "Some Name" text, id integer, "select" text);
CREATE TABLE archive.orders (id integer, customer_id integer, total numeric, status text);
CREATE TABLE a (id integer, x integer, y integer, k integer);
CREATE TABLE b (id integer, y integer, z integer, k integer);
CREATE TABLE c (id integer, z integer, w integer);

CREATE FUNCTION found_at(word text) RETURNS place
    LANGUAGE plpgsql AS $$ BEGIN RETURN ROW(length(word), length(word))::place; END $$;
CREATE FUNCTION kin(number integer) RETURNS SETOF people LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;
