// Owns editing one object: a draft in memory, what saving it will do, a question before anything destructive, one save.
import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { navigate } from '../../lib/hash-location.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { problemText } from '../../lib/problem-text.ts'
import { localOwnerId, useMe } from '../../lib/me.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { BackupList } from './backup-list.tsx'
import { keepDraft, readDraft } from './draft-store.ts'
import { DeleteObjectDialog } from './delete-object-dialog.tsx'
import { FieldDialog } from './field-dialog.tsx'
import {
  addField,
  applyDraft,
  changeField,
  countChanges,
  draftOf,
  moveField,
  replaceField,
  toggleDeleted,
} from './field-draft.ts'
import type { DraftField, ObjectDraft } from './field-draft.ts'
import { FieldTable } from './field-table.tsx'
import { labelsOf, objectPluralLabel } from './object-item.ts'
import type { FieldItem, ObjectItem } from './object-item.ts'
import { refreshObjects, useObject } from './object-queries.ts'
import classes from './objects.module.css'
import { ObjectSettings } from './object-settings.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import { PlanFailures, PlanSteps } from './plan-list.tsx'
import { RuleList } from './rule-list.tsx'
import { saveObject } from './save-object.ts'
import type { PendingPlan } from './save-object.ts'
import { TabbedParts } from '../../components/tab-list.tsx'
import { WorkflowPart, useWorkflows } from '../workflow/index.ts'
import { useDraftCheck } from './use-draft-check.ts'
import type { DraftCheck } from './use-draft-check.ts'
import planClasses from './plan.module.css'
import type { FieldLabels } from './plan-words.ts'
import { hasCode } from '../../lib/api-error.ts'

const DraftPreview = lazyPart(async () => ({ default: (await import('./draft-preview.tsx')).DraftPreview }))
const RelationsPart = lazyPart(async () => ({ default: (await import('./relations-part.tsx')).RelationsPart }))
const ViewsPart = lazyPart(async () => ({ default: (await import('./views-part.tsx')).ViewsPart }))
const RightsPart = lazyPart(async () => ({ default: (await import('./rights-part.tsx')).RightsPart }))
const LabelsPart = lazyPart(async () => ({ default: (await import('./labels-part.tsx')).LabelsPart }))

/** The page of one object. */
export function ObjectEditorScreen(props: { name: string }) {
  const { data: object, error, refetch } = useObject(props.name)
  const me = useMe()
  if (error && !object) {
    return (
      <Page title={t('fields.list', { object: props.name })}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  // Whose draft is shown has to be known before there is one.
  if (!object || me === undefined) return null
  const owner = me?.user.id ?? localOwnerId
  return <Editor key={`${owner} ${object.name}`} owner={owner} object={object} onReload={() => void refetch()} />
}

function Editor(props: { owner: string; object: ObjectItem; onReload: () => void }) {
  const { owner } = props
  const client = useQueryClient()
  // The version the draft is based on: newer ones that arrive meanwhile must not slip under it.
  const [kept, setKept] = useState(() => readDraft(owner, props.object.name))
  const [base, setBase] = useState(kept?.base ?? props.object)
  const [draft, setDraft] = useState<ObjectDraft>(() => kept?.draft ?? draftOf(props.object))
  const [plan, setPlan] = useState<PendingPlan>()
  const [deleting, setDeleting] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [tab, setTab] = useState('fields')
  const workflows = useWorkflows(base.name)
  const [edited, setEdited] = useState<DraftField | 'new'>()
  const changes = countChanges(base, draft)
  const check = useDraftCheck(changes > 0 && edited === undefined ? applyDraft(base, draft) : undefined)

  // While nothing is edited a newer version simply takes over.
  if (props.object !== base && changes === 0) {
    setBase(props.object)
    setDraft(draftOf(props.object))
  }
  const isKept = useRef(kept !== undefined)
  useEffect(() => {
    // What another window keeps of the same object is not this one's to forget.
    if (changes > 0 || isKept.current) keepDraft(owner, base.name, changes > 0 ? { base, draft } : undefined)
    isKept.current = changes > 0
  }, [owner, base, draft, changes])
  const stale = changes > 0 && props.object.etag !== base.etag

  const save = async (confirm?: string): Promise<void> => {
    if (draft.label.trim() === '') {
      setProblem(t('object.label.missing'))
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      const outcome = await saveObject(base, applyDraft(base, draft), confirm)
      setPlan(outcome.plan)
      if (outcome.plan) return
      showToast({ message: t('object.saved', { object: draft.label.trim() }), tone: 'good' })
      setKept(undefined)
      const saved = { ...applyDraft(base, draft), etag: outcome.etag }
      setBase(saved)
      setDraft(draftOf(saved))
      await Promise.all([refreshObjects(client), client.invalidateQueries({ queryKey: ['workflow-config'] })])
    } catch (error) {
      setPlan(undefined)
      setProblem(hasCode(error, 'CONCURRENT_UPDATE') ? t('object.conflict') : problemText(error))
      if (hasCode(error, 'CONCURRENT_UPDATE')) props.onReload()
    } finally {
      setBusy(false)
    }
  }

  const reload = (): void => {
    setKept(undefined)
    setBase(props.object)
    setDraft(draftOf(props.object))
    setProblem(undefined)
  }

  const finishField = (item: FieldItem, goOn: boolean): void => {
    if (edited === undefined) return
    setDraft((current) => (edited === 'new' ? addField(current, item) : replaceField(current, edited.name, item)))
    if (!goOn) setEdited(undefined)
  }

  const discard = (): void => {
    setKept(undefined)
    setDraft(draftOf(base))
    const bringBack = (): void => {
      setDraft(draft)
      // Where the designer was left meanwhile, it has the draft when it is opened again.
      keepDraft(owner, base.name, { base, draft })
    }
    showToast({ message: t('draft.discarded'), action: { label: t('app.undo'), run: bringBack } })
  }

  const label = objectPluralLabel(base)
  const labels = { ...labelsOf(base), ...labelsOf(applyDraft(base, draft)) }
  return (
    <Page
      title={t('fields.list', { object: label })}
      actions={
        <>
          <Button component="a" href={`#/o/${base.name}`} variant="default">
            {t('object.records')}
          </Button>
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t('object.delete')}
          </Button>
        </>
      }
    >
      {/* What is changed while a save is under way would be lost when it has ended. */}
      <div inert={busy}>
        <div className={parts.labels}>
          <TextInput
            label={t('object.label')}
            value={draft.label}
            error={draft.label.trim() === '' ? t('object.label.missing') : undefined}
            onChange={(event) => setDraft({ ...draft, label: event.currentTarget.value })}
          />
          <TextInput
            label={t('object.plural')}
            value={draft.pluralLabel}
            onChange={(event) => setDraft({ ...draft, pluralLabel: event.currentTarget.value })}
          />
          <TextInput label={t('object.name')} value={base.name} readOnly variant="filled" />
        </div>
        <TabbedParts
          label={t('designer.tabs')}
          tabs={[
            { key: 'fields', label: t('word.fields'), count: draft.fields.length },
            { key: 'rules', label: t('designer.tab.rules'), count: draft.rules.length },
            ...(workflows.length > 0 ? [{ key: 'workflow', label: t('designer.tab.workflow') }] : []),
            { key: 'relations', label: t('designer.tab.relations') },
            { key: 'views', label: t('designer.tab.views') },
            { key: 'permissions', label: t('designer.tab.permissions') },
            { key: 'translations', label: t('designer.tab.translations') },
            { key: 'settings', label: t('word.settings') },
            { key: 'backups', label: t('word.backups') },
          ]}
          chosen={tab}
          onChoose={setTab}
        >
          {tab === 'fields' && (
            <>
              <FieldTable
                label={t('fields.list', { object: label })}
                fields={draft.fields}
                onChange={(name, part) => setDraft((current) => changeField(current, name, part))}
                onEdit={setEdited}
                onToggleDeleted={(name) => setDraft((current) => toggleDeleted(current, name))}
                onMove={(name, by) => setDraft((current) => moveField(current, name, by))}
              />
              <Button
                mt="md"
                variant="default"
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={() => setEdited('new')}
              >
                {t('fields.add')}
              </Button>
              <Suspense fallback={null}>
                <DraftPreview object={base} draft={draft} label={label} />
              </Suspense>
            </>
          )}
          {tab === 'rules' && (
            <RuleList
              object={base}
              draft={draft}
              onChange={(rules) => setDraft((current) => ({ ...current, rules }))}
            />
          )}
          {tab === 'workflow' && <WorkflowPart workflows={workflows} />}
          {tab === 'settings' && (
            <ObjectSettings draft={draft} onChange={(part) => setDraft((current) => ({ ...current, ...part }))} />
          )}
          <Suspense fallback={null}>
            {tab === 'relations' && <RelationsPart object={applyDraft(base, draft)} />}
            {tab === 'views' && <ViewsPart object={base.name} label={label} />}
            {tab === 'permissions' && <RightsPart object={base.name} label={label} />}
            {tab === 'translations' && <LabelsPart object={base} />}
          </Suspense>
          {tab === 'backups' && <BackupList object={base.name} label={label} locked={changes > 0} />}
        </TabbedParts>
      </div>
      {(problem || stale) && (
        <div style={{ marginBlockStart: 16 }}>
          <Notice
            tone="bad"
            live
            actions={
              stale && (
                <Button size="compact-sm" variant="default" onClick={reload}>
                  {t('object.reload')}
                </Button>
              )
            }
          >
            {problem ?? t('object.conflict')}
          </Notice>
        </div>
      )}
      {changes > 0 && (
        <div className={classes.saveBar}>
          <p className={classes.saveText} role="status">
            {tn('object.dirty', changes)}{' '}
            <span className={classes.fieldName}>{t(kept ? 'draft.back' : 'draft.kept')}</span>
          </p>
          <div className={classes.formActions}>
            <Button variant="default" onClick={discard}>
              {t('object.discard')}
            </Button>
            <Button onClick={() => void save()} loading={busy}>
              {t('object.save')}
            </Button>
          </div>
          <SavePreview object={base} check={check} labels={labels} />
        </div>
      )}
      <PlanDialog
        object={base}
        plan={plan}
        labels={labels}
        busy={busy}
        onCancel={() => setPlan(undefined)}
        onConfirm={(hash) => void save(hash)}
      />
      <FieldDialog
        object={base}
        draft={draft}
        field={edited}
        onClose={() => setEdited(undefined)}
        onDone={finishField}
      />
      <DeleteObjectDialog
        object={base}
        opened={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => {
          keepDraft(owner, base.name, undefined)
          navigate('/objects', { unasked: true })
          showToast({ message: t('delete.done', { object: label }) })
        }}
      />
    </Page>
  )
}

/** What saving will do, or why it will be refused, before anything is saved. */
function SavePreview(props: { object: ObjectItem; check: DraftCheck; labels: FieldLabels }) {
  const { problems, plan } = props.check
  if (problems.length === 0 && plan.length === 0) return null
  return (
    <div className={planClasses.live}>
      {problems.length > 0 ? (
        <Notice tone="bad">{problems.map((problem) => `${problem.path}: ${problem.message}`).join(' ')}</Notice>
      ) : (
        <>
          <PlanSteps steps={plan} labels={props.labels} label={t('plan.live')} />
          <PlanFailures object={props.object} steps={plan} labels={props.labels} />
        </>
      )}
    </div>
  )
}
