// Templates inside of configured values.
import { describe, expect, it } from 'vitest'
import { fillTemplates, templatesOf } from './templates.ts'

const scope = {
  record: { name: 'Ada', count: 3, tags: ['a'], empty: null },
  previous: null,
  now: Date.UTC(2026, 0, 31),
  timeZone: 'UTC',
}

describe('fillTemplates', () => {
  it.each([
    ['{{ record.count }}', 3],
    [' {{record.tags}} ', ['a']],
    ['{{ record.empty }}', null],
    ['{{ record.count > 2.0 }}', true],
    ['{{ record.name }}!', 'Ada!'],
    ['{{ record.name }} has {{ record.count }}{{ record.empty }}', 'Ada has 3'],
    ['tags {{ record.tags }}', 'tags ["a"]'],
    ['no template', 'no template'],
    ['{ record.name }', '{ record.name }'],
    [7, 7],
  ])('turns %j into %j', (value, filled) => {
    expect(fillTemplates(value, scope)).toEqual(filled)
  })

  it('reaches into lists and maps and leaves keys alone', () => {
    const value = JSON.parse(
      '{"{{ record.name }}": [{"a": "{{ record.name }}"}], "__proto__": "{{ record.count }}"}',
    ) as object
    const filled = fillTemplates(value, scope)
    expect(JSON.stringify(filled)).toBe('{"{{ record.name }}":[{"a":"Ada"}],"__proto__":3}')
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
  })

  it('walks a text with many beginnings once', () => {
    const text = `}}${'{{ '.repeat(200_000)}`
    const begun = performance.now()
    expect(fillTemplates(text, scope)).toBe(text)
    expect(templatesOf(text)).toEqual([])
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('throws for an expression that cannot be evaluated', () => {
    expect(() => fillTemplates('{{ record. }}', scope)).toThrow()
  })
})
