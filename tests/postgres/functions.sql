-- Functions that the views of views/ call; lineal is told nothing of them.

CREATE FUNCTION shout(word text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN upper(word); END $$;
CREATE FUNCTION located(word text) RETURNS place LANGUAGE plpgsql AS $$ BEGIN RETURN ROW(0, 0)::place; END $$;
CREATE FUNCTION nearest(word text, howmany integer) RETURNS TABLE (city text, miles numeric)
    LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;
CREATE FUNCTION lines_of(number integer) RETURNS SETOF item LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;
CREATE FUNCTION friends(number integer) RETURNS SETOF customers LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;
