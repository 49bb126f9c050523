-- A session in Neovim: opens files of a project, asks the language server, and writes the answers.
-- vim.lsp.start_client is that of Neovim 0.7; later versions have it, too.
local folder, python, out = vim.env.FOLDER, vim.env.PYTHON, vim.env.OUT
local answers = {}

local client = vim.lsp.start_client({
  name = "lineal",
  cmd = { python, "-m", "lineal", "lsp" },
  root_dir = folder,
})

local function open(name)
  vim.cmd("edit " .. folder .. "/" .. name)
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)
  return buffer
end

local function find(buffer, needle, inside)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(needle, 1, true)
    if at then
      return { line = number - 1, character = at - 1 + needle:find(inside, 1, true) - 1 }
    end
  end
  error("there is no " .. needle)
end

local function ask(method, buffer, needle, inside, more)
  local params = vim.tbl_extend("force", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = find(buffer, needle, inside),
  }, more or {})
  local found = vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}
  for _, each in pairs(found) do
    return each.result or each.error or vim.NIL
  end
  return vim.NIL
end

local customers = open("models/marts/customers.sql")
vim.wait(60000, function()
  local held = vim.lsp.get_client_by_id(client)
  return held and held.initialized
end, 50)

answers.hover = ask("textDocument/hover", customers, "sum(amount)", "amount")
answers.definition = ask("textDocument/definition", customers, "sum(amount)", "amount")
answers.references = ask("textDocument/references", customers, "sum(amount)", "amount",
  { context = { includeDeclaration = false } })
answers.rename = ask("textDocument/rename", customers, "as spent", "spent", { newName = "paid" })
answers.refused = ask("textDocument/rename", customers, "ref('orders')", "orders", { newName = "x" })

local stg = open("models/staging/stg_orders.sql")
vim.api.nvim_buf_set_lines(stg, 3, 4, false, { "    id as order_number," })
local orders = open("models/marts/orders.sql")
local function codes()
  return vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(orders))
end
vim.wait(60000, function()
  return vim.tbl_contains(codes(), "unresolved-column")
end, 50)
answers.diagnostics = codes()

local file = io.open(out, "w")
file:write(vim.json and vim.json.encode(answers) or vim.fn.json_encode(answers))
file:close()
vim.lsp.stop_client(client)
vim.cmd("qa!")
