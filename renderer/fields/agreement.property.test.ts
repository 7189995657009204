// Proves that what an editor accepts here is what the host accepts: the same values, by the shared rules.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { operatorClasses as hostOperators } from '#shared/field-types/operator-classes.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { fieldTypeOf as hostTypeOf, fieldTypes } from '#shared/field-types/registry.ts'
import { fieldTypeNames, fieldTypeOf, isEditable, translateField } from './index.ts'
import type { FieldContext, FieldDefinition } from './index.ts'
import { sized } from '../../test/support/test-size.ts'

const env = { timeZone: 'Europe/Berlin', defaultCurrency: 'EUR' }
const context: FieldContext = { locale: 'en', timeZone: env.timeZone, translate: translateField }
const options = [
  { value: 'a', label: 'Alpha' },
  { value: 'b', label: 'Beta, late' },
]

/** The definition as the host compiles it, as far as parsing reads it. */
function schemaOf({
  name,
  type,
  required = false,
  multiple = false,
  options: given = [],
  ...rest
}: FieldDefinition): FieldSchema {
  return {
    name,
    uid: name,
    type,
    column: name,
    sqlType: 'TEXT',
    extraColumns: [],
    label: name,
    system: false,
    computed: false,
    required,
    unique: false,
    index: false,
    externalId: false,
    searchable: false,
    sortable: true,
    hidden: false,
    readonly: false,
    multiple: multiple || ['multiselect', 'checkboxes', 'tags'].includes(type),
    caseSensitive: true,
    defaultValue: null,
    options: given.map((option) => {
      const { value, label = value } = typeof option === 'string' ? { value: option } : option
      return { value, label }
    }),
    reference: null,
    inner: [],
    settings: rest as FieldSchema['settings'],
  }
}

function composed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).normalize('NFC')) as Value
}

const typed = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('0', '1', '9', '.', ',', '-', '+', 'e', ' ', ':', '/', '@', 'a', 'b', '"', '\n', '(', '%'),
  }),
  fc.emailAddress(),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.uuid(),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.json(),
  fc.constantFrom(
    'Alpha',
    'b, a',
    '"Beta, late"',
    'true',
    'no',
    '2026-03-31',
    '2026-03-31 14:30',
    '31/03/2026',
    'example.org/x',
    '0.3',
    '-0.7',
    '4.5',
    '#A1B2C3',
    '#abc',
    'RGB(1,2 , 255)',
    'rgba(1, 2, 3, .5)',
    'hsl(360,100%,0%)',
    '2:30 pm',
    '{"city": " Köln", "countryCode": "de"}',
    '{"city": 5}',
    '52.52, 13.405',
    '{"latitude": 90, "longitude": -180, "altitude": 3}',
    'thing/01900000-0000-7000-8000-0000000000AB',
    '+49 30 123456',
    '{"fileId": "01900000-0000-7000-8000-0000000000ab", "name": "a.txt", "mimeType": "text/plain", "size": 5}',
    '[{"fileId": "01900000-0000-7000-8000-0000000000ab"}]',
  ),
)

const definitions: FieldDefinition[] = [
  { name: 'f', type: 'text' },
  { name: 'f', type: 'text', minLength: 3, maxLength: 8 },
  { name: 'f', type: 'text', pattern: '[^@]{2,}' },
  { name: 'f', type: 'textarea' },
  { name: 'f', type: 'markdown' },
  { name: 'f', type: 'email' },
  { name: 'f', type: 'url' },
  { name: 'f', type: 'phone' },
  { name: 'f', type: 'number' },
  { name: 'f', type: 'number', scale: 2, min: -10, max: 1_000 },
  { name: 'f', type: 'number', scale: 0, required: true },
  { name: 'f', type: 'currency' },
  { name: 'f', type: 'currency', currencyConfig: { currencyMode: 'dynamic', precision: 3 } },
  { name: 'f', type: 'currency', scale: 4, precision: 6 },
  { name: 'f', type: 'currency', precision: 4 },
  { name: 'f', type: 'percent' },
  { name: 'f', type: 'boolean' },
  { name: 'f', type: 'date' },
  { name: 'f', type: 'date', min: '2000-01-01', max: '2030-12-31', required: true },
  { name: 'f', type: 'datetime' },
  { name: 'f', type: 'select', options },
  { name: 'f', type: 'multiselect', options, maxItems: 1 },
  { name: 'f', type: 'tags' },
  { name: 'f', type: 'tags', options },
  { name: 'f', type: 'json' },
  { name: 'f', type: 'progress' },
  { name: 'f', type: 'slider', min: -1, max: 1, step: 0.1 },
  { name: 'f', type: 'rating' },
  { name: 'f', type: 'rating', maxRating: 10, allowHalf: true },
  { name: 'f', type: 'time' },
  { name: 'f', type: 'radio', options },
  { name: 'f', type: 'checkboxes', options },
  { name: 'f', type: 'color' },
  { name: 'f', type: 'color', colorFormat: 'rgb' },
  { name: 'f', type: 'color', colorFormat: 'rgba' },
  { name: 'f', type: 'color', colorFormat: 'hsl' },
  { name: 'f', type: 'address' },
  { name: 'f', type: 'location' },
  { name: 'f', type: 'record', references: ['thing'] },
  { name: 'f', type: 'password' },
  { name: 'f', type: 'secret' },
  { name: 'f', type: 'qrcode' },
  { name: 'f', type: 'file' },
  { name: 'f', type: 'file', multiple: true },
]

describe('what an editor accepts', () => {
  it('covers every type of the host', () => {
    expect(fieldTypeNames().toSorted()).toEqual(Object.keys(fieldTypes).toSorted())
  })

  it.each(definitions.map((field) => [`${field.type} ${JSON.stringify(field)}`, field] as const))(
    'is accepted by the host as the same value: %s',
    (_name, field) => {
      const schema = schemaOf(field)
      let accepted = 0
      const agreement = fc.property(typed, (text) => {
        const read = fieldTypeOf(field).parse(text, field, context)
        fc.pre(read.ok)
        accepted++
        const host = parseField(schema, read.ok ? read.value : undefined, env)
        const money = field.currencyConfig?.currencyMode === 'dynamic'
        // The host adds the workspace's currency to a bare amount and composes characters; nothing else may differ.
        const whole =
          read.ok && money && typeof read.value === 'number'
            ? { value: read.value, currency: 'EUR' }
            : read.ok && read.value
        // Blank takes a password away, where null would leave it as it is.
        const expected = field.type === 'password' && whole === '' ? null : whole
        expect({ text, ...composed(host) }).toEqual({ text, ok: true, value: composed(expected) })
      })
      fc.assert(agreement, { numRuns: sized(40, 400), maxSkipsPerRun: 10_000 })
      expect(accepted).toBeGreaterThan(0)
    },
  )

  it('offers only operators the host allows for the type', () => {
    for (const field of [...definitions, { name: 'f', type: 'lookup' }, { name: 'f', type: 'user', multiple: true }]) {
      const allowed = hostOperators[hostTypeOf(field).operators(schemaOf(field))]
      const offered = fieldTypeOf(field).operators(field)
      expect({ [field.type]: offered.filter(({ operator }) => !allowed.has(operator as never)) }).toEqual({
        [field.type]: [],
      })
    }
  })

  it('opens no editor for what the server alone writes', () => {
    const computed = Object.entries(fieldTypes).filter(([, type]) => 'computed' in type && type.computed === true)
    expect(computed.map(([name]) => name)).toContain('autonumber')
    expect(computed.filter(([name]) => isEditable({ name: 'f', type: name }))).toEqual([])
  })
})
