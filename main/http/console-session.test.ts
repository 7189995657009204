import { beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import {
  codeLifeMs,
  createConsoleSessions,
  createOneTimeCodes,
  maxWrongGuesses,
  sessionLifeSeconds,
} from './console-session.ts'

let clock: ManualClock

beforeEach(() => {
  clock = createManualClock(1_000_000)
})

describe('createOneTimeCodes', () => {
  it('redeems a code once', () => {
    const codes = createOneTimeCodes(clock, createIds(clock))
    const code = codes.mint()
    expect(codes.redeem(code)).toBe(true)
    expect(codes.redeem(code)).toBe(false)
  })

  it('refuses a code after ten minutes', () => {
    const codes = createOneTimeCodes(clock, createIds(clock))
    const early = codes.mint()
    clock.advance(codeLifeMs - 1)
    const late = codes.mint()
    clock.advance(1)
    expect(codes.redeem(early)).toBe(false)
    expect(codes.redeem(late)).toBe(true)
  })

  it('voids a code at the fifth wrong guess, and not at the fourth', () => {
    const codes = createOneTimeCodes(clock, createIds(clock))
    const first = codes.mint()
    for (let guess = 1; guess < maxWrongGuesses; guess += 1) codes.redeem('wrong')
    const second = codes.mint()
    codes.redeem('wrong')
    expect(codes.redeem(first)).toBe(false)
    expect(codes.redeem(second)).toBe(true)
  })
})

describe('createConsoleSessions', () => {
  it('finds a session as the local owner until seven days have passed', () => {
    const sessions = createConsoleSessions(clock, createIds(clock))
    const token = sessions.open()
    clock.advance(sessionLifeSeconds * 1000 - 1)
    expect(sessions.find(token)?.actor.id).toBe(localOwnerId)
    clock.advance(1)
    expect(sessions.find(token)).toBeNull()
  })

  it('ends a session and leaves the others', () => {
    const sessions = createConsoleSessions(clock, createIds(clock))
    const [first, second] = [sessions.open(), sessions.open()]
    sessions.end(first)
    sessions.end('unknown')
    expect(sessions.find(first)).toBeNull()
    expect(sessions.find(second)).not.toBeNull()
  })

  it('never holds more than a thousand sessions; the oldest ends first', () => {
    const sessions = createConsoleSessions(clock, createIds(clock))
    const first = sessions.open()
    const others = Array.from({ length: 1_000 }, () => sessions.open())
    expect(sessions.find(first)).toBeNull()
    expect(sessions.find(others[0]!)).not.toBeNull()
  })
})
