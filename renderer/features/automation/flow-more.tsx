// Owns what is set of a flow beside its steps: variables, what happens when a step fails, where its schedule runs.
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
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
        <PolicyFields
          policy={Object.keys(draft.errorHandling).length === 0 ? undefined : draft.errorHandling}
          others={draft.nodes.filter(({ type }) => type !== 'start')}
          onChange={(policy) => onChange({ ...draft, errorHandling: policy ?? {} })}
        />
      </div>
    </details>
  )
}
