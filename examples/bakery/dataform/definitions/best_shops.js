publish("best_shops", { type: "view" }).query(
  (ctx) => `SELECT shop_id, euros FROM ${ctx.ref("shops")} WHERE euros > 1000`
);
