import { describe, expect, it } from 'vitest'
import { formatDocName, parseDocName } from './doc-names.ts'
import type { DocName } from './doc-names.ts'

const object = '0123456789abcdef0123456789abcdef'
const record = '019a0000-0000-7000-8000-00000000000a'

const names: readonly [string, DocName][] = [
  [`r/${object}/${record}`, { kind: 'record', object, record }],
  [`t/${object}/${record}/fedc`, { kind: 'text', object, record, field: 'fedc' }],
  [`f/${object}/${record}/0`, { kind: 'feed', object, record, segment: 0 }],
  [`f/${object}/${record}/41`, { kind: 'feed', object, record, segment: 41 }],
  ['m/object/abc', { kind: 'metadata', type: 'object', uid: 'abc' }],
  ['m/package/com.example.crm', { kind: 'metadata', type: 'package', uid: 'com.example.crm' }],
  ['w/roster', { kind: 'workspace', part: 'roster' }],
  [
    `x/aa11/bb22/r/${object}/${record}`,
    { kind: 'refusal', by: 'aa11', writer: 'bb22', target: `r/${object}/${record}` },
  ],
  ['x/aa11/bb22/m/object/abc', { kind: 'refusal', by: 'aa11', writer: 'bb22', target: 'm/object/abc' }],
  ['w/acl', { kind: 'workspace', part: 'acl' }],
  [`b/${record}`, { kind: 'file', file: record }],
]

describe('names of documents', () => {
  it.each(names)('%s is built and parsed', (text, name) => {
    expect(formatDocName(name)).toBe(text)
    expect(parseDocName(text)).toEqual(name)
  })

  it.each([
    '',
    'r',
    'r/',
    `r/${object}`,
    `r/${object}/`,
    `r//${record}`,
    `r/${object}/${record}/x`,
    `r/${object}/${record.toUpperCase()}`,
    `r/${object}/not-a-uuid`,
    `r/../${record}`,
    `r/${object} /${record}`,
    `R/${object}/${record}`,
    `t/${object}/${record}`,
    `t/${object}/${record}/`,
    `t/${object}/${record}/a\0b`,
    `t/${object}/${record}/${'x'.repeat(129)}`,
    `f/${object}/${record}/01`,
    `f/${object}/${record}/-1`,
    `f/${object}/${record}/1.5`,
    `f/${object}/${record}/1e3`,
    `f/${object}/${record}/1234567`,
    'm/Object/abc',
    'm/object/',
    'm/object/a/b',
    'w/other',
    'w/roster/x',
    'x/a/b',
    'x/a/b/',
    `x/a/b/t/${object}/${record}/fedc`,
    'x/a/b/x/a/b/w/roster',
    `x/a b/b/r/${object}/${record}`,
    `r/${object}/${record}\n`,
    `r/${'/'.repeat(600)}`,
  ])('%j is none', (text) => {
    expect(parseDocName(text)).toBeNull()
  })

  it('are not built from parts of the wrong form', () => {
    expect(() => formatDocName({ kind: 'record', object: 'a/b', record })).toThrow(RangeError)
    expect(() => formatDocName({ kind: 'feed', object, record, segment: -1 })).toThrow(RangeError)
    expect(() => formatDocName({ kind: 'metadata', type: 'object', uid: '..' })).toThrow(RangeError)
  })
})
