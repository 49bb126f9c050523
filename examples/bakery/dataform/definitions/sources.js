declare({ schema: "mart", name: "revenue", description: "Built by SQLMesh" });
