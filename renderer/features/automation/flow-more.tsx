// Owns what is set of a flow beside its steps: variables, what happens when a step fails, where its schedule runs.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { runnerQuery } from './automation-queries.ts'
import type { DesignPart } from './flow-outline.tsx'
import { FlowVariables } from './flow-variables.tsx'
import { PolicyFields } from './step-failure.tsx'
import classes from './automation.module.css'

/** The part; folded until somebody looks. */
export function FlowMore({ draft, problems, onChange }: DesignPart) {
  const isWrong = problems.some(({ path }) => path.startsWith('variables.'))
  return (
    <details className={classes.details} open={isWrong || undefined}>
      <summary>{t('design.more')}</summary>
      <div className={`${parts.stack} ${classes.more}`}>
        <FlowVariables
          variables={draft.variables}
          problemOf={(path) => problems.find((one) => one.path === path)?.message}
          onChange={(variables) => onChange({ ...draft, variables })}
        />
        {draft.type === 'schedule' && (
          <MachineChoice value={draft.runsOn} onChange={(runsOn) => onChange({ ...draft, runsOn })} />
        )}
        <PolicyFields
          policy={Object.keys(draft.errorHandling).length === 0 ? undefined : draft.errorHandling}
          others={draft.nodes.filter(({ type }) => type !== 'start')}
          onChange={(policy) => onChange({ ...draft, errorHandling: policy ?? {} })}
        />
      </div>
    </details>
  )
}

/** The machine a schedule runs on, where there are several. */
function MachineChoice({ value, onChange }: { value: string; onChange: (device: string) => void }) {
  const { data: runner } = useQuery(runnerQuery)
  if (!runner || (runner.machines.length < 2 && value === '')) return null
  const known = runner.machines.map(({ id, name }) => ({ value: id, label: name }))
  // One that was unpaired stays to be seen.
  const isGone = value !== '' && !known.some((machine) => machine.value === value)
  return (
    <NativeSelect
      label={t('design.runsOn')}
      value={value}
      data={[{ value: '', label: t('design.runsOn.usual') }, ...known, ...(isGone ? [value] : [])]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
