// Where a workflow is drawn: whatever it looks like, states do not cover each other and every step has its own line.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layOut, nodeHeight } from './diagram-layout.ts'
import type { DiagramInput } from './diagram-layout.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f']
const workflows: fc.Arbitrary<DiagramInput> = fc.record({
  initial: fc.option(fc.constantFrom(...names)),
  states: fc
    .constantFrom(1, 3, 6)
    .map((count) => names.slice(0, count).map((name) => ({ name, label: name.repeat(9) }))),
  transitions: fc.array(
    fc.record({
      label: fc.constantFrom('go', 'a rather long label'),
      from: fc.subarray(names),
      to: fc.constantFrom(...names),
    }),
    { maxLength: 8 },
  ),
})

describe('the layout of a workflow', () => {
  it('keeps states apart, inside of the picture, and all of them in it', () => {
    fc.assert(
      fc.property(workflows, (input) => {
        const { nodes, width, height } = layOut(input)
        expect(nodes.map(({ name }) => name).toSorted()).toEqual(input.states.map(({ name }) => name))
        for (const one of nodes) {
          expect(one.x + one.width < width && one.y + nodeHeight < height && one.x > 0 && one.y > 0).toBe(true)
          const covered = nodes.filter(
            (other) =>
              other !== one &&
              Math.abs(other.y - one.y) < nodeHeight &&
              other.x < one.x + one.width &&
              one.x < other.x + other.width,
          )
          expect(covered).toEqual([])
        }
      }),
    )
  })

  it('draws one line for each pair of states, and none along another', () => {
    fc.assert(
      fc.property(workflows, (input) => {
        const known = new Set(input.states.map(({ name }) => name))
        const wanted = new Set(
          input.transitions.flatMap(({ from, to }) =>
            known.has(to) ? from.filter((name) => known.has(name)).map((name) => `${name} ${to}`) : [],
          ),
        )
        const { edges } = layOut(input)
        expect(new Set(edges.map(({ from, to }) => `${from} ${to}`))).toEqual(wanted)
        expect(new Set(edges.map(({ path }) => path)).size).toBe(edges.length)
        expect(edges.some(({ path }) => path.includes('NaN'))).toBe(false)
      }),
    )
  })

  it('lets no line cross a state', () => {
    fc.assert(
      fc.property(workflows, (input) => {
        const { nodes, edges } = layOut(input)
        const turns = edges.flatMap(({ path }) => {
          const found = /H ([-.\d]+) V ([-.\d]+) H ([-.\d]+) V/.exec(path)
          return found ? [found.slice(1).map(Number)] : []
        })
        const between = (value: number, start: number, length: number): boolean =>
          value >= start && value <= start + length
        for (const [outX, laneY, inX] of turns)
          for (const { x, y, width } of nodes) {
            expect(between(outX!, x, width) || between(inX!, x, width) || between(laneY!, y, nodeHeight)).toBe(false)
          }
        const upright = turns.flatMap(([outX, , inX]) => [outX, inX])
        expect(new Set(upright).size).toBe(upright.length)
      }),
    )
  })

  it('puts each state a column further than the one before, and says all steps between two', () => {
    const { nodes, edges } = layOut({
      initial: 'a',
      states: names.slice(0, 3).map((name) => ({ name, label: name })),
      transitions: [
        { label: 'go', from: ['a'], to: 'b' },
        { label: 'jump', from: ['a'], to: 'b' },
        { label: 'on', from: ['b'], to: 'c' },
        { label: 'reset', from: ['a', 'b', 'c'], to: 'a' },
      ],
    })
    const [a, b, c] = nodes.map(({ x }) => x)
    expect(a! < b! && b! < c!).toBe(true)
    expect(edges.find(({ to }) => to === 'b')?.label).toBe('go, jump')
    expect(edges.filter(({ to }) => to === 'a')).toHaveLength(3)
  })

  it('draws nothing of a workflow without states', () => {
    expect(layOut({ initial: null, states: [], transitions: [] }).nodes).toEqual([])
  })
})
