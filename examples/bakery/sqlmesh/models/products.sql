MODEL (
  name staging.products,
  kind SEED (path '../seeds/products.csv')
);
