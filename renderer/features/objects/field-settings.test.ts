// Proves that the designer offers every type and only settings the platform reads.
import { describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { fieldTypes } from '#shared/field-types/registry.ts'
import type { FieldTypeName } from '#shared/field-types/registry.ts'
import {
  canBeRequired,
  canBeUnique,
  missingSettings,
  readSetting,
  settingsOf,
  splitSettings,
  withType,
  writeSetting,
} from './field-settings.ts'
import { isStringKey } from '../../lib/strings.ts'
import { settingLabel } from './setting-words.ts'
import { fieldTypeNames as offeredNames } from '../../fields/index.ts'
import { searchTypes, typeHint } from './field-types.ts'
import { neededSettings } from '../../../test/support/field-cases.ts'

const offered = offeredNames() as FieldTypeName[]

describe('types in the designer', () => {
  it('are all types of the platform, each once', () => {
    expect([...offered].toSorted()).toEqual(Object.keys(fieldTypes).toSorted())
    for (const type of offered) expect(typeHint(type)).not.toBe('')
  })

  it('are found by what they hold', () => {
    expect(searchTypes('stars').flatMap(({ types }) => types)).toEqual(['rating'])
    expect(searchTypes('').flatMap(({ types }) => types)).toEqual(offered)
    expect(searchTypes('no such type')).toEqual([])
  })
})

describe('settings of a type', () => {
  it.each(offered)('of %s are read by the platform', (type) => {
    const shape: object = fieldTypes[type].settings
    const common = ['multiple']
    const unknown = settingsOf(type)
      .map(({ path }) => path.split('.')[0] ?? '')
      .filter((key) => !Object.hasOwn(shape, key) && !common.includes(key))
    expect(unknown).toEqual([])
  })

  it.each(offered)('of %s have words, also for their choices', (type) => {
    for (const setting of settingsOf(type)) {
      expect(settingLabel(type, setting)).toMatch(/^\S/)
      for (const choice of setting.choices ?? []) {
        expect(isStringKey(`setting.${setting.path}.${choice === '' ? 'none' : choice}`)).toBe(true)
      }
    }
  })

  it.each(offered)('of %s that are needed are named until they are given', (type) => {
    const bare = checkObjectDefinition({ name: 'thing', fields: { value: { type } } })
    expect(missingSettings({ type }).length > 0).toBe(!bare.ok)
    expect(missingSettings({ type, ...neededSettings[type] })).toEqual([])
  })

  it.each(offered)('a %s may be what the designer lets it be', (type) => {
    const field = {
      type,
      ...neededSettings[type],
      ...(canBeRequired(type) ? { required: true } : {}),
      ...(canBeUnique(type) ? { unique: true } : {}),
    }
    expect(checkObjectDefinition({ name: 'thing', fields: { value: field } })).toMatchObject({ ok: true })
  })

  it('are written below their groups and taken out with them', () => {
    const item = writeSetting({ type: 'currency' }, 'currencyConfig.precision', 3)
    expect(item).toEqual({ type: 'currency', currencyConfig: { precision: 3 } })
    expect(readSetting(item, 'currencyConfig.precision')).toBe(3)
    expect(writeSetting(item, 'currencyConfig.precision', undefined)).toEqual({ type: 'currency' })
    expect(readSetting(item, 'constructor.name')).toBeUndefined()
  })
})

describe('another type', () => {
  it('keeps what both types read and what this version does not know', () => {
    const number = { type: 'number', label: 'Pages', min: 1, scale: 0, required: true, defaultValue: 3, later: true }
    expect(withType(number, 'percent')).toEqual({
      type: 'percent',
      label: 'Pages',
      min: 1,
      scale: 0,
      required: true,
      later: true,
    })
    expect(withType(number, 'date')).toEqual({ type: 'date', label: 'Pages', required: true, later: true })
    expect(withType(number, 'formula')).toEqual({ type: 'formula', label: 'Pages', later: true })
  })

  it('keeps choices among types that have them', () => {
    const options = [{ value: 'a', label: 'A' }]
    expect(withType({ type: 'select', options }, 'checkboxes')).toEqual({ type: 'checkboxes', options })
    expect(withType({ type: 'select', options }, 'text')).toEqual({ type: 'text' })
  })

  it.each(offered)('a text becomes a %s the platform takes once its needs are given', (type: FieldTypeName) => {
    const item = {
      ...withType({ type: 'text', maxLength: 20, pattern: 'a', unique: true }, type),
      ...neededSettings[type],
    }
    expect(checkObjectDefinition({ name: 'thing', fields: { value: item } })).toMatchObject({ ok: true })
  })

  it('are simple when they say what a field is, and needed ones always', () => {
    const paths = (type: string) => splitSettings(settingsOf(type)).map((part) => part.map(({ path }) => path))
    expect(paths('lookup')).toEqual([['reference'], ['multiple', 'deleteBehavior']])
    expect(paths('number')).toEqual([[], ['scale', 'min', 'max']])
    expect(paths('multiselect')).toEqual([['options'], ['maxItems']])
    const isHidden = (type: string) => splitSettings(settingsOf(type))[1].some(({ needed }) => needed)
    expect(Object.keys(fieldTypes).filter(isHidden)).toEqual([])
  })
})
