// Owns the list of all files one may see: how large each is, what names it, and deleting what nothing needs.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFiles, IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { filesQuery } from './file-queries.ts'
import { FileRow } from './file-row.tsx'
import classes from './files.module.css'

/** The screen. */
export function FilesScreen() {
  const { data: manifest } = useQuery(discoveryQuery)
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 250)
  const [unused, setUnused] = useState(false)
  const isAbsent = manifest !== undefined && manifest.routes.storage == null
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...filesQuery(search, unused),
    enabled: !isAbsent,
  })
  if (isAbsent) {
    return (
      <Page title={t('word.files')}>
        <EmptyState title={t('files.absent')} />
      </Page>
    )
  }
  const files = data?.pages.flatMap((page) => page.files) ?? []
  // Where the bytes are is no question on a machine that is on its own.
  const isShared = manifest?.features.sync === true || files.some(({ place }) => !place.here)
  const isNarrowed = search !== '' || unused
  return (
    <Page title={t('word.files')} lead={t('files.lead')}>
      <div className={parts.bar}>
        <TextInput
          className={classes.search}
          label={t('files.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Checkbox
          label={t('files.unused')}
          description={t('files.unused.help')}
          checked={unused}
          onChange={(event) => setUnused(event.currentTarget.checked)}
        />
      </div>
      {error && !data && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {data && files.length === 0 && (
        <EmptyState
          title={t(isNarrowed ? 'files.none.found' : 'files.none')}
          icon={<IconFiles size={32} stroke={1.5} aria-hidden />}
        >
          {isNarrowed ? null : t('files.none.text')}
        </EmptyState>
      )}
      {files.some(({ place }) => !place.here) && <p className={classes.quiet}>{t('filePlace.help')}</p>}
      {files.length > 0 && (
        <ListTable
          label={t('word.files')}
          columns={[
            { label: t('word.name') },
            { label: t('word.size'), number: true },
            { label: t('word.type'), wide: true },
            { label: t('word.added'), wide: true },
            ...(isShared ? [{ label: t('filePlace.column') }] : []),
            { label: t('files.column.uses') },
            { label: t('word.actions'), hidden: true },
          ]}
        >
          {files.map((file, at) => (
            <FileRow key={file.fileId} file={file} files={files} at={at} isShared={isShared} />
          ))}
        </ListTable>
      )}
      {hasNextPage && (
        <div className={parts.actions}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('word.showMore')}
          </Button>
        </div>
      )}
    </Page>
  )
}
