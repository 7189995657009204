// Scripts that try to leave their sandbox or to take the process with them. Each returns the text ESCAPED when it
// reached something of Node; every other end is a failure to escape. Known ways out of other sandboxes, in our words.

/** One attempt; the names say the way. */
export interface Escape {
  readonly name: string
  readonly source: string
}

/** Looks for anything that only Node has, from a global object that an attempt got hold of. */
const verdict = `
  const isOut = (it) => {
    try { return Boolean(it && (it.process || it.require || it.Buffer || it.fetch || it.setTimeout)) } catch { return false }
  }
  const judge = (it) => (isOut(it) ? 'ESCAPED' : 'inside')
`

const through = (name: string, expression: string): Escape => ({
  name,
  source: `${verdict}; try { return judge(${expression}) } catch (error) { return 'stopped' }`,
})

/** The attempts. */
export const escapes: readonly Escape[] = [
  through('global object', 'globalThis'),
  through('this of a function', '(function () { return this })()'),
  through('this of a sloppy function', 'Function("return this")()'),
  through('constructor of a function', '(() => 0).constructor("return this")()'),
  through('constructor chain of an object', '({}).constructor.constructor("return globalThis")()'),
  through('constructor chain of the input', 'input.constructor.constructor("return globalThis")()'),
  through('constructor of a capability', 'records.get.constructor("return globalThis")()'),
  through('constructor of the log', 'log.constructor.constructor("return globalThis")()'),
  through('constructor of fail', 'fail.constructor("return this")()'),
  through('constructor of a promise', 'records.list("task").constructor.constructor("return globalThis")()'),
  through(
    'constructor of an async function',
    '(async () => 0).constructor("return globalThis")().then ? globalThis : null',
  ),
  through('constructor of a generator', '(function* () {}).constructor("yield globalThis")().next().value'),
  through('prototype of a capability', 'Object.getPrototypeOf(records.get).constructor("return globalThis")()'),
  through('getter on a prototype', 'Object.defineProperty({}, "x", { get() { return globalThis } }).x'),
  through('proxy of a function', 'new Proxy(Function, {})("return globalThis")()'),
  through('proxy of the capability', 'new Proxy(records.get, { apply: (t, self) => self })() || globalThis'),
  through(
    'symbol species',
    '(() => { class A extends Array { static get [Symbol.species]() { return globalThis.Function } } return new A(1) && globalThis })()',
  ),
  through(
    'error with prepareStackTrace',
    '(() => { Error.prepareStackTrace = (e, frames) => frames; const s = new Error().stack; return s && s[0] && s[0].getThis ? s[0].getThis() : globalThis })()',
  ),
  through(
    'error thrown by a capability',
    'await records.get("task").catch((error) => error.constructor.constructor("return globalThis")())',
  ),
  through(
    'error thrown by fail',
    '(() => { try { fail("x") } catch (error) { return error.constructor.constructor("return globalThis")() } })()',
  ),
  through(
    'arguments callee',
    '(() => { try { return (function () { return arguments.callee.caller })() } catch { return globalThis } })()',
  ),
  through('eval', 'eval("this")'),
  through('indirect eval', '(0, eval)("this")'),
  through('dynamic import', 'await import("node:fs")'),
  through('require by name', 'typeof require === "undefined" ? globalThis : require("module")'),
  through('process by name', 'typeof process === "undefined" ? globalThis : { process }'),
  through('WebAssembly', 'typeof WebAssembly === "undefined" ? globalThis : { process: 1 }'),
  through(
    'Atomics and shared memory',
    'typeof SharedArrayBuffer === "undefined" ? globalThis : (new SharedArrayBuffer(8), globalThis)',
  ),
  through('Reflect on the global object', 'Reflect.get(globalThis, "process") ? { process: 1 } : globalThis'),
  through('JSON reviver', 'JSON.parse("[1]", function () { return this }) && globalThis'),
  through(
    'prototype pollution through a record',
    '(await records.list("task", JSON.parse(\'{"__proto__":{"process":1}}\')), globalThis)',
  ),
  through('toString as a gate', '({ toString: () => globalThis, valueOf: () => globalThis }) && globalThis'),
  through('iterator of the input', '(input[Symbol.iterator] ? input[Symbol.iterator]() : globalThis)'),
  through('with statement', 'Function("with (arguments[0]) { return globalThis }")({})'),
  {
    name: 'return of a thenable',
    source: 'return { then(resolve) { resolve(typeof process === "undefined" ? "inside" : "ESCAPED") } }',
  },
  {
    name: 'body that closes its function',
    source: 'return "inside" }); (() => { return typeof process === "undefined" ? "inside" : "ESCAPED"',
  },
  { name: 'deep recursion in a getter', source: 'const o = { get x() { return this.x } }; return o.x' },
  { name: 'regular expression that never ends', source: 'return /^(a+)+$/.test("a".repeat(40) + "b") ? "x" : "y"' },
  { name: 'huge text', source: 'return "x".repeat(2 ** 30).length' },
  {
    name: 'huge JSON',
    source: 'let a = []; for (let n = 0; n < 100000; n++) a = [a]; return JSON.stringify(a).length',
  },
  { name: 'flood of promises', source: 'for (;;) records.list("task"); ' },
  { name: 'flood of calls that catches', source: 'for (;;) { try { records.list("task") } catch {} }' },
  { name: 'flood of large calls', source: 'for (;;) records.create("task", { title: "x".repeat(1e6) })' },
  { name: 'endless loop in finally', source: 'try { return 1 } finally { for (;;); }' },
]
