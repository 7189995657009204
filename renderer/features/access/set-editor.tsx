// Owns editing a permission set or profile: the matrix, the row rules and what may be done beside records.
import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { systemPermissions } from '#shared/system-permissions.ts'
import { TabbedParts } from '../../components/tab-list.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { LabelFields } from './label-fields.tsx'
import { SaveBar } from './save-bar.tsx'
import type { RightEditorProps } from './save-bar.tsx'
import { RightsMatrix } from './rights-matrix.tsx'
import { RowRuleList } from './row-rule-list.tsx'
import { countSetChanges, draftOfSet } from './set-draft.ts'
import type { SetDraft } from './set-draft.ts'
import classes from './access.module.css'

/** The editor. */
export function SetEditor(props: RightEditorProps) {
  const base = draftOfSet(props.item)
  const [draft, setDraft] = useState(base)
  const [tab, setTab] = useState('objects')
  return (
    <>
      <LabelFields item={draft} onLabel={(label) => setDraft({ ...draft, label })}>
        <TextInput
          label={t('word.description')}
          value={textOf(draft, 'description')}
          autoComplete="off"
          onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value || undefined })}
        />
      </LabelFields>
      <TabbedParts
        label={t('set.tabs')}
        tabs={[
          { key: 'objects', label: t('set.tab.objects') },
          { key: 'rules', label: t('word.rowRules'), count: draft.rowLevelSecurity.length },
          { key: 'system', label: t('set.tab.system'), count: draft.systemPermissions.length },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        {tab === 'objects' && <RightsMatrix draft={draft} onChange={setDraft} />}
        {tab === 'rules' && <RowRuleList type={props.type} draft={draft} onChange={setDraft} />}
        {tab === 'system' && <SystemPart draft={draft} onChange={setDraft} />}
      </TabbedParts>
      <SaveBar {...props} changes={countSetChanges(base, draft)} draft={draft} onDiscard={() => setDraft(base)} />
    </>
  )
}

function SystemPart(props: { draft: SetDraft; onChange: (draft: SetDraft) => void }) {
  const { draft } = props
  return (
    <div className={parts.section}>
      <fieldset className={`${parts.options} ${classes.inColumns}`}>
        <legend>{t('system.lead')}</legend>
        {systemPermissions.map((word) => (
          <Checkbox
            key={word}
            label={t(`system.${word}`)}
            checked={draft.systemPermissions.includes(word)}
            onChange={(event) =>
              props.onChange({
                ...draft,
                systemPermissions: event.currentTarget.checked
                  ? [...draft.systemPermissions, word]
                  : draft.systemPermissions.filter((each) => each !== word),
              })
            }
          />
        ))}
      </fieldset>
    </div>
  )
}
