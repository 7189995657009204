// Owns money: an amount, with its own currency in dynamic mode. @source D-94 currency

import { IconCoin } from '@tabler/icons-react'
import { currencyCodes } from '#shared/field-types/currencies.ts'
import { currencyDigits } from '#shared/field-types/currency-digits.ts'
import { NumberEditor } from '../editors/number-editor.tsx'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { numberFormat } from '../intl-formats.ts'
import { numberOf, parseLimited } from '../number-rules.ts'
import { numberToText } from '../number-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

interface Money {
  value: number
  currency: string | undefined
}

function moneyOf(value: unknown): Money | null {
  if (typeof value === 'object' && value !== null) {
    const { value: amount, currency } = value as { value?: unknown; currency?: unknown }
    const number = numberOf(amount)
    return number === null ? null : { value: number, currency: typeof currency === 'string' ? currency : undefined }
  }
  const number = numberOf(value)
  return number === null ? null : { value: number, currency: undefined }
}

const isDynamic = (field: FieldDefinition): boolean => field.currencyConfig?.currencyMode === 'dynamic'
const isCode = (code: string): boolean => /^[A-Z]{3}$/.test(code)

/** An amount of money; a typed ISO 4217 code is kept in dynamic mode. */
export const currencyField: FieldType = {
  group: 'number',
  label: t('fieldType.currency'),
  hint: t('fieldType.currency.hint'),
  settings: [
    setting('currencyConfig.currencyMode', 'choice', { choices: ['fixed', 'dynamic'] }),
    setting('currencyConfig.defaultCurrency', 'text'),
    setting('currencyConfig.precision', 'integer'),
    setting('min', 'number'),
    setting('max', 'number'),
  ],
  importRank: 4,
  innerRank: 4,
  measured: true,
  figuresAsValues: true,
  icon: IconCoin,
  format: (value, field, { locale }) => {
    const money = moneyOf(value)
    if (!money) return ''
    const named = money.currency ?? field.currencyConfig?.defaultCurrency ?? 'USD'
    const currency = isCode(named) ? named : 'XXX'
    const digits = currencyDigits(field)
    const options = {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    } as const
    return numberFormat(locale, `currency ${currency} ${digits}`, options).format(money.value)
  },
  cellClass: () => 'field-number',
  toText: (value, field, { locale }) => {
    const money = moneyOf(value)
    if (!money) return ''
    const amount = numberToText(money.value, locale)
    return isDynamic(field) && money.currency ? `${amount} ${money.currency}` : amount
  },
  parse: blankIsNull((text, field, context) => {
    const read = parseLimited(text, field, context, currencyDigits(field))
    if (!read.ok) return read
    const code = /(?:^|[^A-Za-z])([A-Z]{3})(?![A-Za-z])/.exec(text)?.[1]
    if (!isDynamic(field)) {
      // An amount in another currency is another amount: dropping the code would change it silently.
      const own = field.currencyConfig?.defaultCurrency
      if (!code || !own || code === own) return read
      return refused(context, 'field.otherCurrency', { text: code, currency: own })
    }
    if (!code) return read
    if (!currencyCodes.has(code)) return refused(context, 'field.currencyCode', { text: code })
    return parsed({ value: read.value, currency: code })
  }),
  operators: () => operatorClasses.order,
  Editor: NumberEditor,
}
