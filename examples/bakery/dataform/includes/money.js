const RATE = 100;

function euros(column) {
  return `${column} / ${RATE}`;
}

module.exports = { RATE, euros };
