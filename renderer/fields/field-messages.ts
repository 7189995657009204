// Owns the English words of fields: validation messages, operator names and short labels, under stable keys.
// Translations replace them through FieldContext.translate; nothing else in this folder holds visible text.

/** English texts by key; `{name}` stands for a parameter. */
export const fieldMessages = {
  'field.required': 'Enter a value: this field may not be empty.',
  'field.tooLong': 'The text has {length} characters; at most {max} fit. Shorten it.',
  'field.tooShort': 'The text has {length} characters; enter at least {min}.',
  'field.pattern': 'The text does not have the required form ({pattern}).',
  'field.lineBreak': 'This field holds a single line. Remove the line breaks.',
  'field.email': '“{text}” is not an e-mail address. Write it like name@example.org.',
  'field.url': '“{text}” is not a complete address. Write it like https://example.org.',
  'field.urlScheme': 'Addresses that begin with “{scheme}:” are not accepted here. Use one of {schemes}.',
  'field.phone': '“{text}” is not a phone number. Use at least 3 digits, and only digits, spaces and + ( ) - .',
  'field.number': '“{text}” is not a number. Write it like {example}.',
  'field.inexact': 'The number is too large to be stored exactly. Use a text field for long numbers.',
  'field.currencyCode': '“{text}” is not a currency code of ISO 4217. Write it like EUR.',
  'field.otherCurrency': 'This field holds amounts in {currency}, not in {text}. Convert the amount first.',
  'field.tooManyDigits': 'The number has more than {whole} digits before the decimal mark.',
  'field.control': 'The text holds a character (U+0000) that cannot be stored. Remove it.',
  'field.tooLow': 'The value is below {min}, the lowest allowed.',
  'field.tooHigh': 'The value is above {max}, the highest allowed.',
  'field.boolean': '“{text}” is neither yes nor no. Write true or false.',
  'field.date': '“{text}” is not a date. Write it like 2026-03-31.',
  'field.datetime': '“{text}” is not a date with a time. Write it like 2026-03-31 14:30.',
  'field.tooEarly': 'The value is before {min}, the earliest allowed.',
  'field.tooLate': 'The value is after {max}, the latest allowed.',
  'field.option': '“{text}” is not one of the choices: {options}.',
  'field.tagTooLong': 'The tag “{text}” is longer than {max} characters.',
  'field.tooMany': 'There are {count} entries; at most {max} are allowed.',
  'field.json': 'This is not valid JSON: {reason}',
  'field.readonly': 'This field is computed and cannot be edited.',
  'field.yes': 'Yes',
  'field.no': 'No',
  'field.none': 'None',
  'field.search': 'Search',
  'field.noMatch': 'No match',
  'field.searching': 'Searching',
  'field.searchFailed': 'The search failed. Type again to repeat it.',
  'field.addTag': 'Add “{text}”',
  'operator.$eq': 'is',
  'operator.$ne': 'is not',
  'operator.$gt': 'is greater than',
  'operator.$gte': 'is at least',
  'operator.$lt': 'is less than',
  'operator.$lte': 'is at most',
  'operator.$between': 'is between',
  'operator.$in': 'is any of',
  'operator.$nin': 'is none of',
  'operator.$contains': 'contains',
  'operator.$notContains': 'does not contain',
  'operator.$startsWith': 'starts with',
  'operator.$endsWith': 'ends with',
  'operator.$during': 'is within',
  'operator.$any': 'has any of',
  'operator.$all': 'has all of',
  'operator.$has': 'has',
  'operator.$hasNot': 'does not have',
  'operator.empty': 'is empty',
  'operator.notEmpty': 'is not empty',
  'operator.date.$eq': 'is on',
  'operator.date.$ne': 'is not on',
  'operator.date.$gt': 'is after',
  'operator.date.$gte': 'is on or after',
  'operator.date.$lt': 'is before',
  'operator.date.$lte': 'is on or before',
} as const

/** Key of a text of this folder. */
export type FieldMessageKey = keyof typeof fieldMessages

/** Turns a key and parameters into words in the user's language. */
export type Translate = (key: FieldMessageKey, parameters?: Record<string, string | number>) => string

/** The English {@link Translate}. */
export const translateEnglish: Translate = (key, parameters = {}) =>
  fieldMessages[key].replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? String(parameters[name]) : whole,
  )
