// What a decision writes into a register, and which text keeps both.
import { describe, expect, it } from 'vitest'
import { memberKey, shareKey } from '#main/replication/core/register-keys.ts'
import { registerOf } from '#main/replication/core/register.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import { settlingPatch } from './conflict-engine.ts'
import { bothTexts } from './resolve-conflict.ts'

const entry = (key: string, value: RegisterEntry[1], ms: number): RegisterEntry => [key, value, ms, 0, ms]

describe('settling a field in its document', () => {
  it('leaves one entry where there were several, whatever was chosen', () => {
    const register = registerOf([entry('f', 'a', 1), entry('f', 'b', 2), entry('g', 'x', 1)])
    expect(settlingPatch(register, 'f', 'b')).toEqual({ f: 'b' })
    expect(settlingPatch(register, 'f', 'c')).toEqual({ f: 'c' })
  })

  it('writes nothing where the value stands alone', () => {
    expect(settlingPatch(registerOf([entry('f', { a: 1 }, 1)]), 'f', { a: 1 })).toEqual({})
    expect(settlingPatch(registerOf([]), 'f', null)).toEqual({})
    expect(settlingPatch(registerOf([entry('f', 'twelve', 1)]), 'f', null)).toEqual({ f: null })
  })

  it('writes the value of a field that was a sum or a list before', () => {
    const gone = [entry(shareKey('f', 1), null, 1), entry(memberKey('f', 'x'), false, 1)]
    expect(settlingPatch(registerOf([entry('f', { a: 1 }, 2), ...gone]), 'f', null)).toEqual({ f: null })
  })

  it('decides members of a list one by one', () => {
    const [x, y] = [memberKey('f', 'x'), memberKey('f', 'y')]
    const register = registerOf([entry(x, true, 1), entry(x, false, 2), entry(y, true, 1)])
    expect(settlingPatch(register, 'f', ['y'])).toEqual({ [x]: false })
  })
})

describe('keeping both texts', () => {
  it('leaves a text that has both as it is', () => {
    expect(bothTexts('One.Two.', ['One.', 'Two.'])).toBe('One.Two.')
  })

  it('puts them one after the other, each once', () => {
    expect(bothTexts('One.', ['One.', 'Two.', 'One.', null])).toBe('One.\n\nTwo.')
  })
})
