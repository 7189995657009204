// Owns what is said of runs and steps, and what may be done with a run in its state (D-159). Pure.
import { isSelfStarting } from '#shared/flow-starts.ts'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { FlowSummary, Run, RunStatus, RunStep } from './automation-queries.ts'

/** A colour that goes with a word. */
export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

/** The states of a run, in the order they are offered. */
export const runStatuses = [
  'running',
  'paused',
  'pending',
  'retrying',
  'completed',
  'failed',
  'timed_out',
  'cancelled',
] as const satisfies readonly RunStatus[]

const runTones: Readonly<Record<RunStatus, Tone>> = {
  pending: 'quiet',
  running: 'warn',
  retrying: 'warn',
  paused: 'warn',
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  cancelled: 'quiet',
}

const stepTones: Readonly<Record<RunStep['status'], Tone>> = {
  running: 'warn',
  waiting: 'warn',
  success: 'good',
  failure: 'bad',
  skipped: 'quiet',
}

const flowTones: Readonly<Record<FlowSummary['status'], Tone>> = {
  draft: 'quiet',
  active: 'good',
  obsolete: 'quiet',
  invalid: 'bad',
}

/** The colour of a run's state. */
export const runTone = (status: RunStatus): Tone => runTones[status]

/** The colour of a step's state. */
export const stepTone = (status: RunStep['status']): Tone => stepTones[status]

/** The colour of a flow's state. */
export const flowTone = (status: FlowSummary['status']): Tone => flowTones[status]

/** Whether those who do not manage flows start it by hand (D-156). */
export function isStartedByAll(flow: Readonly<Record<'status' | 'runAs' | 'type', string>>): boolean {
  return flow.status !== 'draft' && !isSelfStarting(flow)
}

/** What may be done with a run, by those who manage flows or by its user: to what runs as the system these only answer. */
export function actsOf(
  { status, runAs, waitingFor }: Pick<Run, 'status' | 'runAs' | 'waitingFor'>,
  mayDesign: boolean,
) {
  const waitsFor = String(waitingFor?.['type'])
  const mayAct = mayDesign || runAs !== 'system'
  const mayAnswer = mayAct || waitsFor === 'screen'
  return {
    cancel: mayAnswer && (status === 'pending' || status === 'running' || status === 'paused' || status === 'retrying'),
    retry: mayAct && (status === 'failed' || status === 'timed_out'),
    // What waits for another run or an approval goes on with that.
    resume: mayAnswer && status === 'paused' && !['subflow', 'approval'].includes(waitsFor),
  }
}

/** What started a run. */
export function triggerText({ type, object, event }: Run['trigger']): string {
  // What is started by hand has no event worth a word.
  const about = [object, event === 'manual' ? undefined : event].filter((part) => part !== undefined)
  const word = t(`runs.trigger.${type}`)
  return about.length === 0 ? word : t('runs.trigger.about', { word, about: about.join(', ') })
}

/** What a paused run waits for. */
export function waitText(waitingFor: Run['waitingFor']): string {
  const type = waitingFor?.['type']
  if (type === 'signal') return t('runs.waits.signal', { signal: String(waitingFor?.['signal'] ?? '') })
  if (type === 'screen' || type === 'time' || type === 'condition' || type === 'subflow' || type === 'approval')
    return t(`runs.waits.${type}`)
  return t('runs.waits.other')
}

/** How long something took; '' while that is not known. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return ''
  if (ms < 1_000) return t('runs.ms', { ms })
  if (ms < 60_000) return t('runs.s', { s: formatNumber(Math.round(ms / 100) / 10) })
  const seconds = Math.round(ms / 1_000)
  return t('runs.min', { min: Math.floor(seconds / 60), s: seconds % 60 })
}
