-- Neovim's settings for docs/editor_session.py: colors, lenses and the language server.
vim.o.termguicolors = true
vim.o.background = "dark"
vim.cmd("colorscheme slate")
vim.cmd("highlight NormalFloat guibg=#303a46 guifg=#e6e6e6")
vim.cmd("highlight FloatBorder guibg=#303a46 guifg=#7fb4ca")
vim.cmd("highlight SignColumn guibg=NONE")
vim.o.hlsearch = false
vim.o.laststatus = 2
vim.o.ruler = false
vim.o.showmode = false
vim.o.swapfile = false
vim.o.number = true
vim.o.signcolumn = "yes"
vim.o.shortmess = vim.o.shortmess .. "IS"

vim.diagnostic.config({ virtual_text = { severity = { min = vim.diagnostic.severity.ERROR } } })
vim.lsp.handlers["textDocument/hover"] =
  vim.lsp.with(vim.lsp.handlers.hover, { border = "rounded", max_width = 90 })

local client = vim.lsp.start_client({
  name = "lineal",
  cmd = { vim.env.PYTHON, "-m", "lineal", "lsp" },
  root_dir = vim.fn.getcwd(),
})

vim.api.nvim_create_autocmd("BufEnter", {
  pattern = "*.sql",
  callback = function(args)
    vim.lsp.buf_attach_client(args.buf, client)
  end,
})

-- Lenses are asked for again and again: the server may still be reading the project.
vim.fn.timer_start(1000, function()
  local held = vim.lsp.get_client_by_id(client)
  if held and held.initialized and vim.lsp.buf_is_attached(0, client) then
    pcall(vim.lsp.codelens.refresh)
  end
end, { ["repeat"] = -1 })
