// Owns places on earth, typed as latitude and longitude. @source D-94 location

import { IconCurrentLocation } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { groupOf, readJson } from '../group-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { plainText } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const parts = ['latitude', 'longitude', 'altitude', 'accuracy'] as const

/** Latitude and longitude in degrees; altitude is a third number, everything beyond is kept as JSON. */
function textOfLocation(value: unknown): string {
  const group = groupOf(value)
  if (group === null) return value == null ? '' : plainText(value)
  if (Object.keys(group).some((key) => key !== 'latitude' && key !== 'longitude')) return JSON.stringify(group)
  return `${String(group.latitude)}, ${String(group.longitude)}`
}

function readTyped(text: string): Record<string, unknown> | null {
  if (text.startsWith('{')) return groupOf(readJson(text))
  const numbers = /^(-?\d+(?:\.\d+)?)[\s,;]+(-?\d+(?:\.\d+)?)$/.exec(text)
  return numbers ? { latitude: Number(numbers[1]), longitude: Number(numbers[2]) } : null
}

/** A location. */
export const locationField: FieldType = {
  group: 'structure',
  label: t('fieldType.location'),
  hint: t('fieldType.location.hint'),
  withoutUnique: true,
  icon: IconCurrentLocation,
  format: (value) => {
    const group = groupOf(value)
    return group === null ? plainText(value) : `${String(group.latitude)}, ${String(group.longitude)}`
  },
  cellClass: () => 'field-tabular',
  toText: textOfLocation,
  parse: blankIsNull((text, _field, context) => {
    const given = readTyped(text.trim())
    if (given === null) return refused(context, 'field.location', { text: quoteForMessage(text) })
    const stranger = Object.keys(given).find((key) => !(parts as readonly string[]).includes(key))
    if (stranger !== undefined) return refused(context, 'field.unknownPart', { part: stranger })
    const { latitude, longitude, altitude, accuracy } = given
    const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
    if (!isNumber(latitude) || !isNumber(longitude))
      return refused(context, 'field.location', { text: quoteForMessage(text) })
    if (Math.abs(latitude) > 90) return refused(context, 'field.latitude', { value: latitude })
    if (Math.abs(longitude) > 180) return refused(context, 'field.longitude', { value: longitude })
    return parsed({
      latitude: latitude || 0,
      longitude: longitude || 0,
      ...(isNumber(altitude) ? { altitude } : {}),
      ...(isNumber(accuracy) ? { accuracy } : {}),
    })
  }),
  operators: () => operatorClasses.none,
  Editor: TextEditor,
}
