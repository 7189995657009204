// Owns what profiles, permission sets and roles have in common: a label that is theirs, a name that stays.
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import parts from '../../components/parts.module.css'
import type { RightItem } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'

/** The line of fields; `children` stand between label and name. */
export function LabelFields(props: { item: RightItem; onLabel: (label: string) => void; children: ReactNode }) {
  const { item } = props
  return (
    <div className={parts.labels}>
      <TextInput
        label={t('word.label')}
        value={item.label}
        autoComplete="off"
        error={item.label.trim() === '' ? t('object.label.missing') : undefined}
        onChange={(event) => props.onLabel(event.currentTarget.value)}
      />
      {props.children}
      <TextInput label={t('word.name')} value={item.name} readOnly variant="filled" />
    </div>
  )
}
