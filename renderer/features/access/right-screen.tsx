// Owns the page of one profile, permission set or role: a draft in memory, one save over the version it came from.
import { Button } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { rightSetQuery } from '../../lib/right-sets.ts'
import type { RightItem, RightType } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { useDraftBase } from '../../lib/use-draft-base.ts'
import { Denied } from './access-page.tsx'
import { RoleEditor } from './role-editor.tsx'
import { SetEditor } from './set-editor.tsx'

const types: readonly RightType[] = ['permission', 'profile', 'role']

/** The page. */
export function RightScreen(props: { type: string; name: string }) {
  const type = types.find((each) => each === props.type) ?? 'permission'
  const { data: latest, error, refetch } = useQuery(rightSetQuery(type, props.name))
  const { base: data, key, onChanged, onSaved } = useDraftBase(latest)
  if (!data) {
    return (
      <Page title={t('word.access')}>
        {hasCode(error, 'permission_denied') ? (
          <Denied permission="manage_permissions" />
        ) : (
          error && <LoadFailure error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    )
  }
  const Editor = type === 'role' ? RoleEditor : SetEditor
  return (
    <Page
      title={data.item.label}
      actions={
        <>
          <Button
            component="a"
            href="#/access/rights"
            variant="subtle"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
          >
            {t('rights.back')}
          </Button>
          <DeleteButton type={type} item={data.item} />
        </>
      }
    >
      <Editor
        key={`${data.item.name} ${key}`}
        type={type}
        item={data.item}
        etag={data.etag}
        onChanged={onChanged}
        onSaved={onSaved}
        onReload={() => {
          onChanged(false)
          void refetch()
        }}
      />
    </Page>
  )
}

function DeleteButton(props: { type: RightType; item: RightItem }) {
  const { type, item } = props
  const client = useQueryClient()
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('rights.delete.title', { label: item.label }),
      body: t('rights.delete.body'),
      confirmLabel: t('word.delete'),
    })
    if (!yes) return
    try {
      await call('deleteMetadataItem', { params: { type, name: item.name }, query: {} })
      showToast({ message: t('rights.deleted', { label: item.label }) })
      navigate('/access/rights', { unasked: true })
      await client.invalidateQueries({ queryKey: ['right-sets', type], exact: true })
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <Button variant="default" onClick={() => void remove()}>
      {t('word.deleteDots')}
    </Button>
  )
}
