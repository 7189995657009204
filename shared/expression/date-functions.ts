// Functions over moments, days and durations. Days begin in the workspace's zone; parts are read there too.
import { dateInZone, dateOfMs, dayMs, isDate, isWritable } from '#shared/calendar/iso.ts'
import { instantOfWallClock, wallClock } from '#shared/calendar/time-zone.ts'
import { numberArgument, textArgument, wholeArgument, wrong } from './arguments.ts'
import { ExpressionError } from './expression-error.ts'
import type { ExpressionFunction, FunctionTable } from './functions.ts'
import type { Value } from './machine.ts'
import { Moment, Span, instantOf, isDay, parseSpan, wallOf } from './moments.ts'

/** What a look into a time zone costs. */
const stepsPerZone = 12

/** A part of the wall clock in the given or the workspace's zone; of a duration, its whole length in that unit. */
function part(name: string, read: (date: Date) => number, spanUnitMs?: number): ExpressionFunction {
  return {
    least: 1,
    most: 2,
    result: 'number',
    run([value, zone], machine) {
      if (value === null) return null
      machine.budget.spend(stepsPerZone)
      if (value instanceof Span && spanUnitMs !== undefined) return Math.trunc(value.ms / spanUnitMs)
      const wall = wallOf(value, zone === undefined || zone === null ? machine.scope.timeZone : zoneName(name, zone))
      if (wall === null) throw wrong(name, 'a date or timestamp', value)
      return read(new Date(wall))
    },
  }
}

function zoneName(name: string, zone: Value): string {
  const text = textArgument(name, zone)
  try {
    wallClock(0, text)
  } catch {
    throw new ExpressionError('value', `${name}(): there is no time zone of that name.`)
  }
  return text
}

const dayOfYear = (date: Date): number => Math.floor((date.getTime() - startOfYear(date)) / dayMs)

function startOfYear(date: Date): number {
  const start = new Date(0)
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return start.getTime()
}

/** Date functions by name. Months, days of the month by getDayOfMonth and of the year count from 0, as in CEL. */
export const dateFunctions: FunctionTable = {
  now: { least: 0, most: 0, result: 'datetime', run: (_args, machine) => new Moment(machine.scope.now) },
  today: {
    least: 0,
    most: 0,
    result: 'date',
    run: (_args, machine) => dateInZone(machine.scope.now, machine.scope.timeZone),
  },
  timestamp: {
    least: 1,
    most: 1,
    result: 'datetime',
    run([value], machine) {
      if (value === null || value instanceof Moment) return value
      if (typeof value === 'number') return new Moment(value * 1000)
      const ms = instantOf(value, machine.scope.timeZone)
      if (ms === null) throw new ExpressionError('value', 'timestamp() takes ISO 8601 text.')
      return new Moment(ms)
    },
  },
  date: {
    least: 1,
    most: 1,
    result: 'date',
    run([value], machine) {
      if (value === null || isDay(value)) return value
      machine.budget.spend(stepsPerZone)
      const wall = wallOf(value, machine.scope.timeZone)
      if (wall === null) throw wrong('date', 'a date or timestamp', value)
      return dateOfMs(wall)
    },
  },
  duration: {
    least: 1,
    most: 1,
    result: 'duration',
    run([value]) {
      if (value === null || value instanceof Span) return value
      const span = parseSpan(textArgument('duration', value))
      if (span === null) throw new ExpressionError('value', 'duration() takes text such as "1h30m".')
      return span
    },
  },
  days: {
    least: 2,
    most: 2,
    result: 'number',
    run([from, to], machine) {
      if (from === null || to === null) return null
      machine.budget.spend(stepsPerZone)
      const [start, end] = [from, to].map((value) => wallOf(value, machine.scope.timeZone))
      if (start === null || end === null) throw wrong('days', 'two dates', start === null ? from : to)
      return Math.floor(end! / dayMs) - Math.floor(start! / dayMs)
    },
  },
  addDays: {
    least: 2,
    most: 2,
    result: 'same',
    run([value, count], machine) {
      if (value === null || count === null) return null
      const zone = machine.scope.timeZone
      machine.budget.spend(stepsPerZone)
      const move = wholeArgument('addDays', count) * dayMs
      const wall = wallOf(value, zone)
      if (wall === null) throw wrong('addDays', 'a date or timestamp', value)
      if (!isWritable(wall + move)) throw new ExpressionError('value', 'The day is outside of the calendar.')
      if (typeof value === 'string' && isDate(value)) return dateOfMs(wall + move)
      return new Moment(instantOfWallClock(wall + move, zone))
    },
  },
  getFullYear: part('getFullYear', (date) => date.getUTCFullYear()),
  getMonth: part('getMonth', (date) => date.getUTCMonth()),
  getDate: part('getDate', (date) => date.getUTCDate()),
  getDayOfMonth: part('getDayOfMonth', (date) => date.getUTCDate() - 1),
  getDayOfWeek: part('getDayOfWeek', (date) => date.getUTCDay()),
  getDayOfYear: part('getDayOfYear', dayOfYear),
  getHours: part('getHours', (date) => date.getUTCHours(), 3_600_000),
  getMinutes: part('getMinutes', (date) => date.getUTCMinutes(), 60_000),
  getSeconds: part('getSeconds', (date) => date.getUTCSeconds(), 1000),
  getMilliseconds: part('getMilliseconds', (date) => date.getUTCMilliseconds(), 1),
  seconds: {
    least: 1,
    most: 1,
    result: 'duration',
    run: ([value]) => (value === null ? null : new Span(numberArgument('seconds', value) * 1000)),
  },
}
