// Owns the list of installed packages, and the chosen one.
import { Button } from '@mantine/core'
import { IconPackages } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { ListDetail } from '../../components/list-detail.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { PackageDetail } from './package-detail.tsx'
import { galleryPath, installedPackagePath, installedPath } from './package-places.ts'
import { installedQuery } from './package-queries.ts'

/** The part; `id` is the chosen package. */
export function InstalledPart(props: { id: string | undefined }) {
  const { data, error, refetch } = useQuery(installedQuery)
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  if (data.length === 0) {
    return (
      <EmptyState
        title={t('packages.none')}
        icon={<IconPackages size={32} stroke={1.5} aria-hidden />}
        actions={
          <Button component="a" href={`#${galleryPath}`}>
            {t('packages.none.go')}
          </Button>
        }
      >
        {t('packages.none.text')}
      </EmptyState>
    )
  }
  const chosen = data.find(({ id }) => id === props.id)
  return (
    <ListDetail
      label={t('packages.list')}
      entries={data.map((one) => ({
        key: one.id,
        href: `#${installedPackagePath(one.id)}`,
        label: one.name,
        note: t('word.versionOf', { version: one.version }),
        mark: one.status !== 'installed' && (
          <span className={parts.badge} data-tone={one.status === 'error' ? 'bad' : 'quiet'}>
            {t(one.status === 'disabled' ? 'packages.mark.disabled' : `packages.status.${one.status}`, { message: '' })}
          </span>
        ),
      }))}
      chosen={props.id}
      back={{ href: `#${installedPath}`, label: t('packages.back') }}
    >
      {chosen ? (
        <PackageDetail key={chosen.id} one={chosen} />
      ) : (
        <EmptyState title={t(props.id === undefined ? 'packages.choose' : 'packages.gone')} />
      )}
    </ListDetail>
  )
}
