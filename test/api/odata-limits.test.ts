// Requests that ask for too much, and those made to keep the host busy: they end at their limits, in words (D-183, D-276).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createODataWorld } from '../support/odata-world.ts'
import type { ODataWorld } from '../support/odata-world.ts'
import { leastProcessorMs } from '../support/processor-time.ts'

let world: ODataWorld

/** Most milliseconds of processor time a request may take: it ends at its limit, or is cheap. */
const atOnceMs = 50

beforeAll(async () => {
  world = await createODataWorld()
}, 60_000)
afterAll(async () => world?.host.stop())

/** As long as an address may be. */
const longest = 12_000
const written = (text: string): number => encodeURIComponent(text).length
const filled = (part: string, join = ''): string =>
  Array.from({ length: Math.floor(longest / written(part + join)) }, () => part).join(join)
const around = (before: string, inside: string, after: string): string => {
  const times = Math.floor(longest / written(before + after))
  return before.repeat(times) + inside + after.repeat(times)
}
const some = (count: number, part: string, join: string): string => Array.from({ length: count }, () => part).join(join)

describe('a hostile request', () => {
  const requests: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['conditions without end', { $filter: filled('hours eq 1', ' or ') }, 400],
    ['as many conditions as there may be', { $filter: some(100, "contains(tolower(title),'a')", ' or ') }, 200],
    ['brackets without end', { $filter: around('(', 'done', ')') }, 400],
    ['open brackets', { $filter: filled('(') }, 400],
    ['negations without end', { $filter: `${filled('not ')}done` }, 400],
    ['signs without end', { $filter: `${filled('-')}hours eq 1` }, 400],
    ['functions inside of each other', { $filter: `${around('tolower(', 'title', ')')} eq 'a'` }, 400],
    ['a sum without end', { $filter: `hours${filled(' add 1')} eq 1` }, 400],
    ['as long a sum as there may be', { $filter: some(50, `hours${' mul 2'.repeat(16)} eq 1`, ' or ') }, 200],
    ['a sum of numbers', { $filter: `hours eq 1${filled(' add 1')}` }, 200],
    ['a product of numbers', { $filter: `hours eq 9${filled(' mul 9')}` }, 400],
    ['texts joined without end', { $filter: `${around('concat(', 'title', ",'xxxxxxxx')")} eq 'a'` }, 400],
    ['a list without end', { $filter: `hours in (${filled('1', ',')})` }, 400],
    ['lists inside of each other', { $filter: around('tags/any(t:', 'true', ')') }, 400],
    ['a long text', { $filter: `title eq '${'x'.repeat(longest)}'` }, 200],
    ['a text that does not end', { $filter: `title eq '${'xx'.repeat(longest / 2)}` }, 400],
    ['parameters in a circle', { $filter: '@a', '@a': '@b', '@b': '@a' }, 400],
    ['parameters that double', doubled(), 400],
    ['relations without end', { $expand: around('parentRecord($expand=', 'parentRecord', ')') }, 400],
    ['expansions without end', { $expand: filled('parentRecord', ',') }, 400],
    ['an order without end', { $orderby: filled('hours', ',') }, 400],
    ['a path without end', { $filter: `${filled('parent', '/')}/title eq 'a'` }, 400],
    ['words without end', { $search: filled('a', ' AND ') }, 400],
    ['groups inside of each other', { $apply: around('filter(done)/', 'filter(done)', '') }, 400],
  ]

  it.each(requests)('%s ends at once', async (_name, options, status) => {
    const answer = await world.read('task', options)
    expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(status)
    expect(answer.body.error?.details.reason).not.toBe('url_too_long')
    expect(await leastProcessorMs(5, () => world.read('task', options))).toBeLessThan(atOnceMs)
  })
})

/** Each parameter is the next one twice. */
function doubled(): Record<string, string> {
  const names = Array.from({ length: 40 }, (_, index) => `@p${index}`)
  const options: Record<string, string> = { $filter: '@p0' }
  for (const [index, name] of names.entries())
    options[name] = index === names.length - 1 ? 'done' : `(${names[index + 1]} or ${names[index + 1]})`
  return options
}
