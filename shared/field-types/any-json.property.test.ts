// For every type and any JSON: a value it lets through is parsed to itself and fits the type's JSON Schema, and a value of
// the schema is let through where the schema can say all of it.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { badValues, compileField, goodValues, named } from '../../test/support/field-cases.ts'
import type { FieldCase } from '../../test/support/field-cases.ts'
import { parseField } from './parse-field.ts'
import { fieldTypeOf, fieldTypes } from './registry.ts'
import { pathOfRounded } from './rounded-integer.ts'
import { sized } from '../../test/support/test-size.ts'

const env = { timeZone: 'UTC', defaultCurrency: 'EUR' }
const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Types whose rules JSON Schema cannot say: forms of addresses and days, ids, bytes, options that are no longer offered. */
const weaker: ReadonlySet<string> = new Set(
  (
    'email url phone date datetime select radio multiselect checkboxes lookup master_detail tree user record file image ' +
    'avatar video audio signature progress slider rating currency percent number tags rgb json address color ' +
    'password secret formula summary autonumber composite repeater'
  ).split(' '),
)

const sampled = [...goodValues.map(([, value]) => value), ...badValues.map(([, value]) => value)].filter(
  (value) => typeof value !== 'bigint' && !(typeof value === 'string' && value.length > 5_000),
)
/** Values as JSON brings them: never NaN, never undefined. */
const values = fc
  .oneof(
    fc.constantFrom(...sampled),
    fc.jsonValue(),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -200, max: 200 }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 3 }),
    fc.array(fc.constantFrom('open', 'done', 'old', 'a', ' b '), { maxLength: 4 }),
    fc.record({ latitude: fc.double(), longitude: fc.double() }),
  )
  .map((value): unknown => JSON.parse(JSON.stringify(value) ?? 'null'))

const byDefinition = [...new Map(goodValues.map(([definition]) => [JSON.stringify(definition), definition])).values()]

describe('a parsed value', () => {
  it.each(byDefinition.map((definition) => named([definition])))('of %s is parsed to itself', (_name, definition) => {
    const field = { ...compileField(definition), required: false }
    const property = fc.property(values, (value) => {
      const result = parseField(field, value, env)
      if (result.ok) expect(parseField(field, result.value, env)).toEqual(result)
      else for (const error of result.errors) expect(error.field).toMatch(/^value(?:$|\.)/)
    })
    fc.assert(property, { numRuns: sized(60, 300) })
  })
})

describe('the JSON Schema of a type', () => {
  it.each(byDefinition.map((definition) => named([definition])))('describes the values of %s', (_name, definition) => {
    const field = { ...compileField(definition), required: false }
    const type = fieldTypeOf(field)
    const schema = type.jsonSchema(field)
    const validate = ajv.compile({ anyOf: [schema, { type: 'null' }] })
    const exact = !weaker.has(definition.type)
    const property = fc.property(values, (value) => {
      // Line breaks, U+0000 and rounded integers are refused besides the schema; lengths are those of the normal form.
      fc.pre(definition.type !== 'json' || pathOfRounded(value, '') === null)
      fc.pre(typeof value !== 'string' || (!/[\0\r\n]/.test(value) && value === value.normalize('NFC')))
      const result = parseField(field, value, env)
      if (result.ok)
        expect({ value, ok: validate(JSON.parse(JSON.stringify(result.value))) }).toEqual({ value, ok: true })
      else if (exact) expect({ value, ok: validate(value) }).toEqual({ value, ok: false })
    })
    fc.assert(property, { numRuns: sized(60, 300) })
  })

  it('holds for every value in the tables', () => {
    const seen = new Set<string>()
    for (const [definition, value] of goodValues as readonly (readonly [FieldCase, unknown, unknown])[]) {
      const field = compileField(definition)
      const result = parseField({ ...field, required: false }, value, env)
      const validate = ajv.compile({ anyOf: [fieldTypeOf(field).jsonSchema(field), { type: 'null' }] })
      if (!result.ok) throw new Error(`refused: ${JSON.stringify(definition)}`)
      seen.add(definition.type)
      expect({ definition, ok: validate(result.value), errors: validate.errors }).toMatchObject({
        definition,
        ok: true,
      })
    }
    expect([...seen].sort()).toEqual(Object.keys(fieldTypes).sort())
  })
})
