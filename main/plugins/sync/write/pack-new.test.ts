import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareHlc } from '#main/replication/core/hlc.ts'
import { readReplaced, replacedFacts } from '#main/replication/core/replaced.ts'
import { unpackGenesis } from './genesis-body.ts'
import type { DraftBody } from './own-log.ts'
import { packNew } from './pack-new.ts'
import type { WrittenDraft } from './pack-new.ts'

const object = 'ab'.repeat(16)
const id = '019b76da-ac11-7000-8000-000200000411'

const drafts: fc.Arbitrary<WrittenDraft[]> = fc
  .array(
    fc.record({
      doc: fc.constantFrom(
        `r/${object}/${id}`,
        `t/${object}/${id}/${object}`,
        `f/${object}/${id}/0`,
        `m/object/${object}`,
      ),
      isNew: fc.boolean(),
      author: fc.constantFrom('ann', 'ben'),
      update: fc.uint8Array({ maxLength: 20 }),
      replaced: fc.nat(3),
    }),
    { maxLength: 40 },
  )
  .map((all) =>
    all.map(({ replaced, ...draft }, index) => ({
      ...draft,
      facts: replacedFacts(
        Array.from({ length: draft.isNew ? 0 : replaced }, () => ({ key: 'k', ms: index, ctr: 0, inc: 1 })),
      ),
      kind: 'update',
      hlc: { ms: 1_000, ctr: index },
      aclRev: 0,
      schemaRev: 7,
    })),
  )

const replacedBy = ({ facts }: DraftBody) => readReplaced(facts) ?? []
const parts = ({ kind, doc, author, update }: DraftBody) =>
  kind === 'genesis' ? unpackGenesis(update) : [{ name: doc, author, update }]
const idOf = (number: number): string => `019b76da-ac11-7000-8000-${String(number).padStart(12, '0')}`
const many = (count: number, bytes: number, docOf = (index: number) => `r/${object}/${idOf(index)}`): WrittenDraft[] =>
  Array.from({ length: count }, (_, index) => ({
    doc: docOf(index),
    isNew: true,
    kind: 'update',
    hlc: { ms: 1_000, ctr: index },
    author: 'ann',
    aclRev: 0,
    schemaRev: 7,
    update: new Uint8Array(bytes).fill(index % 251),
    facts: [],
  }))

describe('packing the documents of a call', () => {
  it('keeps all of them in their order, with stamps that rise, and packs new records and texts alone', () => {
    fc.assert(
      fc.property(drafts, (written) => {
        const packed = packNew(written)
        expect(packed.flatMap(parts)).toEqual(written.map(({ doc, author, update }) => ({ name: doc, author, update })))
        for (const [index, draft] of packed.entries()) {
          if (index > 0) expect(compareHlc(packed[index - 1]!.hlc, draft.hlc)).toBeLessThan(0)
          expect(draft).not.toHaveProperty('isNew')
          if (draft.kind !== 'genesis') continue
          expect(draft).toMatchObject({ facts: [], schemaRev: 7 })
          for (const { name } of unpackGenesis(draft.update)) expect(name).toMatch(/^[rt]\//)
        }
        // What a receiver has to know of what was replaced is never lost.
        expect(packed.flatMap(replacedBy)).toEqual(written.flatMap(replacedBy))
        expect(
          written
            .filter(({ isNew }) => !isNew)
            .every((old) => packed.some(({ hlc, kind }) => kind === 'update' && hlc === old.hlc)),
        ).toBe(true)
      }),
    )
  })

  it('leaves a few alone, and bounds what is in one envelope', () => {
    expect(packNew(many(3, 10)).map(({ kind }) => kind)).toEqual(['update', 'update', 'update'])
    expect(packNew(many(4, 10)).map(({ kind }) => kind)).toEqual(['genesis'])
    expect(packNew(many(600, 10)).map((draft) => parts(draft).length)).toEqual([256, 256, 88])
    expect(packNew(many(10, 100_000)).map((draft) => parts(draft).length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    expect(packNew(many(12, 60_000)).map((draft) => parts(draft).length)).toEqual([4, 4, 4])
    expect(packNew(many(5, 300_000)).map(({ kind }) => kind)).toEqual(Array(5).fill('update'))
  })

  it('never parts a record from its texts, as far as they fit', () => {
    const three = (index: number): string => {
      const place = `${object}/${idOf(Math.floor(index / 3))}`
      return index % 3 === 2 ? `r/${place}` : `t/${place}/${'cd'.repeat(16 - (index % 3)) + 'ef'.repeat(index % 3)}`
    }
    expect(packNew(many(600, 10, three)).map((draft) => parts(draft).length)).toEqual([258, 258, 84])
    expect(packNew(many(9, 100_000, three)).map((draft) => parts(draft).length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1])
  })
})
