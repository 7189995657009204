// The field type `currency`: a number of fixed currency, or an amount with its own currency.
import { z } from 'zod'
import { currencyCodes } from './currencies.ts'
import { currencyDigits } from './currency-digits.ts'
import type { FieldSchema, FieldSettings } from './field-schema.ts'
import type { FieldType, ParseEnv } from './field-type.ts'
import { parsed, refused } from './field-type.ts'
import { numberSchema, numberSettings, numericType, parseNumber } from './numeric.ts'
import { readMoneyText } from './money-text.ts'

/** The value of a currency field in dynamic mode. */
export interface Money {
  readonly value: number
  /** ISO 4217 code. */
  readonly currency: string
}

const code = z.string().refine((text) => currencyCodes.has(text), 'not a currency code of ISO 4217')

/** Whether the field keeps a currency with each value. */
export function isDynamicCurrency(settings: FieldSettings): boolean {
  return settings.currencyConfig?.currencyMode === 'dynamic'
}

const plain = numericType({ scale: currencyDigits })

/** An amount of money; filters, sorts and sums use the number. @source D-94 */
export const currencyType: FieldType = {
  ...plain,
  family: 'number',
  listRank: 3,
  expressionType: (definition) => (isDynamicCurrency(definition) ? 'map' : 'number'),
  settings: {
    min: numberSettings.min,
    max: numberSettings.max,
    precision: numberSettings.precision,
    scale: numberSettings.scale,
    currencyConfig: z
      .looseObject({
        precision: z.int().min(0).max(10).optional(),
        currencyMode: z.enum(['fixed', 'dynamic']).optional(),
        defaultCurrency: code.optional(),
      })
      .optional(),
  },
  sqlType: () => 'REAL',
  extraColumns: (settings) => (isDynamicCurrency(settings) ? [{ suffix: '__currency', sqlType: 'TEXT' }] : []),
  parse(value, field, env) {
    if (!isDynamicCurrency(field.settings)) return parseNumber(value, field, currencyDigits(field.settings))
    const given = typeof value === 'number' ? { value } : value
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return refused(field, 'invalid_type', 'The value must be a number or {value, currency}.', value)
    }
    const money = given as { value?: unknown; currency?: unknown }
    const amount = parseNumber(money.value, field, currencyDigits(field.settings))
    if (!amount.ok) return amount
    const currency = money.currency ?? defaultCurrency(field, env)
    if (typeof currency !== 'string' || !currencyCodes.has(currency.toUpperCase())) {
      return refused(field, 'invalid_currency', 'The currency is not a code of ISO 4217.', currency)
    }
    return parsed({ value: amount.value, currency: currency.toUpperCase() })
  },
  fromText(text, field, env) {
    const money = readMoneyText(text)
    if (money === null) return undefined
    if (isDynamicCurrency(field.settings)) return money.currency === null ? money.value : money
    // A fixed field keeps no currency, so an amount of another one would change its meaning.
    return money.currency === null || money.currency === defaultCurrency(field, env) ? money.value : undefined
  },
  toColumn(value, field) {
    if (value === null || !isDynamicCurrency(field.settings)) return value as number | null
    return (value as Money).value
  },
  toExtraColumns(value, field) {
    if (!isDynamicCurrency(field.settings)) return []
    return [value === null ? null : (value as Money).currency]
  },
  fromColumns(value, extra, field) {
    if (value === null || !isDynamicCurrency(field.settings)) return value
    return { value, currency: extra[0] ?? 'USD' }
  },
  toText(value) {
    if (typeof value !== 'object' || value === null || !('value' in value)) return undefined
    const { value: amount, currency } = value as Partial<Money>
    return typeof amount === 'number' && 'currency' in value ? `${allDigits(amount)} ${currency}` : undefined
  },
  jsonSchema(field) {
    const amount = numberSchema(field, undefined)
    if (!isDynamicCurrency(field.settings)) return amount
    const properties = { value: amount, currency: { type: 'string', pattern: '^[A-Z]{3}$' } }
    return { type: 'object', properties, required: ['value', 'currency'] }
  },
}

/** Without an exponent. */
function allDigits(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
}

function defaultCurrency(field: FieldSchema, env: ParseEnv): string {
  return field.settings.currencyConfig?.defaultCurrency ?? env.defaultCurrency ?? 'USD'
}
