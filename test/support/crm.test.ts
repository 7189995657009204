import { describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { readCrmPackage } from './crm.ts'

const crm = readCrmPackage()
const env = { timeZone: 'UTC', defaultCurrency: 'EUR' }

function schemaOf(name: string) {
  const result = checkObjectDefinition(crm.objects.find((object) => object.name === name))
  if (!result.ok) throw new Error(JSON.stringify(result))
  return { warnings: result.warnings, schema: compileObject(result.definition) }
}

describe('crm package', () => {
  it('names its objects after its namespace and has records for each', () => {
    expect(crm.manifest).toMatchObject({ id: 'cairn.examples.crm', namespace: 'crm', version: '1.0.0' })
    expect(crm.objects.map((object) => object.name)).toEqual(['crm_account', 'crm_contact', 'crm_deal', 'crm_activity'])
    expect([...crm.records].map(([name, rows]) => [name, rows.length])).toEqual([
      ['crm_account', 48],
      ['crm_activity', 200],
      ['crm_contact', 120],
      ['crm_deal', 160],
    ])
  })

  it.each(crm.objects.map((object) => object.name))('%s is a valid object without unknown keys', (name) => {
    expect(schemaOf(name).warnings).toEqual([])
  })

  it.each([...crm.records])('every record of %s passes the field rules and names existing records', (name, rows) => {
    const { schema } = schemaOf(name)
    const problems: unknown[] = []
    const ids = new Set<unknown>()
    for (const row of rows) {
      ids.add(row.id)
      if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(row.id))) {
        problems.push({ id: row.id })
      }
      for (const key of Object.keys(row))
        if (key !== 'id' && !schema.byName.has(key)) problems.push({ id: row.id, key })
      for (const field of schema.fields.filter((candidate) => !candidate.computed)) {
        const result = parseField(field, row[field.name], env)
        if (!result.ok) problems.push({ id: row.id, field: field.name, result })
        const target = field.reference === null ? undefined : crm.records.get(field.reference)
        const value = row[field.name]
        if (target && value !== null && !target.some((other) => other.id === value)) {
          problems.push({ id: row.id, field: field.name, value })
        }
      }
    }
    expect(problems).toEqual([])
    expect(ids.size).toBe(rows.length)
  })
})
