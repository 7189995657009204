// Owns what happens when a step fails, how long it may take, and under which name others find what it gives back.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { nodeLabel } from './flow-draft.ts'
import type { DraftGraph, DraftNode, ErrorPolicy } from './flow-draft.ts'
import { NumberText } from './number-text.tsx'
import classes from './automation.module.css'

interface StepFailureProps {
  node: DraftNode
  /** The graph the step is in. */
  graph: DraftGraph
  onSet: (members: Readonly<Record<string, unknown>>) => void
}

/** The part of the inspector; folded while nothing of it is set. */
export function StepFailure({ node, graph, onSet }: StepFailureProps) {
  const { retry, timeoutMs } = node
  const policy = typeof retry === 'object' && retry !== null ? (retry as ErrorPolicy) : undefined
  const isSet = [retry, timeoutMs, node['outputVariable'], node['idempotent']].some((value) => value !== undefined)
  return (
    <details className={classes.details} open={isSet || undefined}>
      <summary>{t('design.failure')}</summary>
      <div className={parts.stack}>
        <PolicyFields
          policy={policy}
          others={graph.nodes.filter(({ id, type }) => id !== node.id && type !== 'start')}
          onChange={(next) => onSet({ retry: next })}
        />
        <NumberText label={t('design.timeout')} value={timeoutMs} onChange={(value) => onSet({ timeoutMs: value })} />
        <TextInput
          label={t('design.outputVariable')}
          description={t('design.outputVariable.help')}
          value={textOf(node, 'outputVariable')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onSet({ outputVariable: event.currentTarget.value || undefined })}
        />
        <Checkbox
          label={t('design.idempotent')}
          description={t('design.idempotent.help')}
          checked={node['idempotent'] === true}
          onChange={(event) => onSet({ idempotent: event.currentTarget.checked || undefined })}
        />
      </div>
    </details>
  )
}

interface PolicyFieldsProps {
  /** Undefined: as usual. */
  policy: ErrorPolicy | undefined
  /** Steps a failure may lead to. */
  others: readonly DraftNode[]
  onChange: (policy: ErrorPolicy | undefined) => void
}

/** What happens on a failure, of a step or of a flow. */
export function PolicyFields({ policy, others, onChange }: PolicyFieldsProps) {
  const strategy = policy === undefined ? '' : textOf(policy, 'strategy') || 'fail'
  const set = (name: string, value: unknown): void => {
    const { [name]: _before, ...rest } = policy ?? {}
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <>
      <NativeSelect
        label={t('design.policy')}
        value={strategy}
        data={(['', 'fail', 'retry', 'continue'] as const).map((value) => ({
          value,
          label: t(value === '' ? 'design.policy.usual' : `design.policy.${value}`),
        }))}
        onChange={(event) => {
          const next = event.currentTarget.value
          onChange(
            next === '' ? undefined : { ...policy, strategy: next, ...(next === 'retry' ? firstRetry(policy) : {}) },
          )
        }}
      />
      {strategy === 'retry' && (
        <div className={classes.numbers}>
          {retryNumbers.map((name) => (
            <NumberText
              key={name}
              label={t(`design.policy.${name}`)}
              value={policy?.[name]}
              onChange={(value) => set(name, value)}
            />
          ))}
          <Checkbox
            label={t('design.policy.jitter')}
            checked={policy?.['jitter'] === true}
            onChange={(event) => set('jitter', event.currentTarget.checked || undefined)}
          />
        </div>
      )}
      {policy !== undefined && others.length > 0 && (
        <NativeSelect
          label={t('design.policy.fallback')}
          value={textOf(policy, 'fallbackNodeId')}
          data={[
            { value: '', label: t('design.policy.noFallback') },
            ...others.map((node) => ({ value: node.id, label: nodeLabel(node) })),
          ]}
          onChange={(event) => set('fallbackNodeId', event.currentTarget.value || undefined)}
        />
      )}
    </>
  )
}

const retryNumbers = ['maxRetries', 'retryDelayMs', 'backoffMultiplier', 'maxRetryDelayMs'] as const

/** Trying again without a number of times would be trying never. */
function firstRetry(policy: ErrorPolicy | undefined): ErrorPolicy {
  return Number(policy?.['maxRetries'] ?? 0) > 0 ? {} : { maxRetries: 3 }
}
