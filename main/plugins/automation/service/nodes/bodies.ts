// Nodes with nodes inside: loop, parallel, try and catch. What is inside is stored step by step like everything else, so
// the node itself is passed again after a restart without harm.
import { z } from 'zod'
import { validationError } from '#shared/errors.ts'
import type { GraphSource } from '../../api.ts'
import { NodeFailure, RunPaused } from '../engine/failures.ts'
import { Body, defineNodeType } from './node-type.ts'

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)
const maxIterations = 100_000

/** Runs its body for each element of a list; answers the outputs. */
export const loopNode = defineNodeType({
  type: 'loop',
  name: 'Loop',
  description: 'Does the same for each element of a list.',
  icon: 'repeat',
  category: 'logic',
  configSchema: z.looseObject({
    collection: z.unknown(),
    itemVariable: name.default('item'),
    indexVariable: name.default('index'),
    maxIterations: z.int().min(1).max(maxIterations).default(1_000),
    body: Body,
  }),
  effect: 'none',
  timeoutMs: null,
  supportsRetry: false,
  verbatim: ['body'],
  names: ({ itemVariable = 'item', indexVariable = 'index' }) => [String(itemVariable), String(indexVariable)],
  bodies: ({ body }) => [{ path: 'body', graph: body as GraphSource }],
  async execute({ config, body }) {
    const { collection, itemVariable, indexVariable } = config
    if (!Array.isArray(collection))
      throw validationError([
        { field: 'config.collection', code: 'invalid_type', message: 'The collection is no list.' },
      ])
    if (collection.length > config.maxIterations) {
      const message = `The list has ${collection.length} elements; the loop takes ${config.maxIterations}.`
      throw validationError([
        { field: 'config.collection', code: 'max_items', message, constraint: config.maxIterations },
      ])
    }
    const outputs: unknown[] = []
    for (const [index, item] of collection.entries()) {
      const locals = { [itemVariable]: item as unknown, [indexVariable]: index }
      outputs.push(await body(config.body, { path: `[${index}]`, iteration: index, locals }))
    }
    return { output: outputs }
  },
})

/** Runs its branches side by side and waits for all. */
export const parallelNode = defineNodeType({
  type: 'parallel',
  name: 'Parallel',
  description: 'Does several things at a time.',
  icon: 'arrows-split-2',
  category: 'logic',
  configSchema: z.looseObject({
    branches: z
      .array(Body.extend({ name: z.string().min(1) }))
      .min(2)
      .max(50)
      .refine((all) => new Set(all.map((one) => one.name)).size === all.length, 'Every branch has a name of its own.'),
  }),
  effect: 'none',
  timeoutMs: null,
  supportsRetry: false,
  verbatim: ['branches'],
  bodies: ({ branches }) =>
    (Array.isArray(branches) ? (branches as GraphSource[]) : []).map((graph, index) => ({
      path: `branches.${index}`,
      graph,
    })),
  async execute({ config: { branches }, body }) {
    const ends = await Promise.allSettled(
      branches.map((branch) => body(branch, { path: `.${branch.name}`, isBeside: true })),
    )
    const thrown = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    // A failure is told before a wait: it decides what becomes of the run.
    const failure = thrown.find((error) => !(error instanceof RunPaused)) ?? thrown[0]
    if (failure !== undefined) throw failure
    const values = ends.map((end) => (end as PromiseFulfilledResult<unknown>).value)
    return { output: Object.fromEntries(branches.map((branch, index) => [branch.name, values[index]])) }
  },
})

/** Runs a body, and another one when it fails. */
export const tryCatchNode = defineNodeType({
  type: 'try_catch',
  name: 'Try and catch',
  description: 'Does something, and something else when that fails.',
  icon: 'shield-check',
  category: 'logic',
  configSchema: z.looseObject({ try: Body, catch: Body.optional(), errorVariable: name.default('error') }),
  effect: 'none',
  timeoutMs: null,
  supportsRetry: false,
  verbatim: ['try', 'catch'],
  names: ({ errorVariable = 'error' }) => [String(errorVariable)],
  bodies: (config) =>
    ['try', 'catch'].flatMap((path) =>
      config[path] === undefined ? [] : [{ path, graph: config[path] as GraphSource }],
    ),
  async execute({ config, body }) {
    try {
      return { output: await body(config.try, { path: '.try' }) }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      if (config.catch === undefined) return { output: null }
      const locals = { [config.errorVariable]: error.error }
      return { output: await body(config.catch, { path: '.catch', locals }) }
    }
  },
})
