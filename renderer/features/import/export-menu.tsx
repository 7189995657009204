// Owns downloading the records a screen shows as a file. Knows no screen: what is shown comes as a query.
import { Button, Menu } from '@mantine/core'
import { IconTableExport } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { menuOptions } from '../../components/menu-options.ts'
import { download } from '../../lib/api-client.ts'
import { saveFile } from '../../lib/save-file.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'

/** What is shown, as a list is asked for it; every part may be absent. */
export interface ExportQuery {
  filter?: Readonly<Record<string, unknown>>
  /** As in D-78, for example `-name,created_at`. */
  sort?: string
  search?: string
  /** Fields in the order of their columns; absent means all. */
  select?: readonly string[]
}

const formats = ['csv', 'xlsx', 'json', 'ndjson'] as const

type ExportFormat = (typeof formats)[number]

/** Downloading what is shown, and whether that is under way. */
export function useExport({ object, query }: { object: string; query: ExportQuery }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: ExportFormat): Promise<void> => {
    setBusy(true)
    try {
      const { file, name } = await download('exportRecords', {
        params: { object },
        query: writeExportQuery(query, format),
      })
      const fileName = name ?? `${object}.${format}`
      saveFile(fileName, file)
      showToast({ message: t('export.done', { name: fileName }), tone: 'good' })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return { busy, save }
}

/** The formats as items of a menu. */
export function ExportItems({ busy, onChoose }: { busy: boolean; onChoose: (format: ExportFormat) => void }) {
  return formats.map((format) => (
    <Menu.Item key={format} disabled={busy} onClick={() => onChoose(format)}>
      {t(`export.${format}`)}{' '}
      <span style={{ color: 'var(--cairn-text-quiet)', fontSize: 12 }}>{t(`export.${format}.hint`)}</span>
    </Menu.Item>
  ))
}

/** The button with its formats. `label` is what the records are called together. */
export function ExportMenu(props: { label: string; exporting: ReturnType<typeof useExport> }) {
  const { busy, save } = props.exporting
  const button = useRef<HTMLButtonElement>(null)
  const choose = async (format: ExportFormat): Promise<void> => {
    await save(format)
    button.current?.focus({ preventScroll: true })
  }
  return (
    <Menu position="bottom-end" {...menuOptions}>
      <Menu.Target>
        <Button
          ref={button}
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconTableExport size={14} aria-hidden />}
          // Not `loading`, which disables: a button that is off loses the focus.
          aria-busy={busy}
          title={t('export.menu', { object: props.label })}
        >
          {t(busy ? 'export.reading' : 'export.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ExportItems busy={busy} onChoose={(format) => void choose(format)} />
      </Menu.Dropdown>
    </Menu>
  )
}

/**
 * The parameters of an export. Files for people hold choices as they are read, and CSV a byte order mark, without which
 * spreadsheets take UTF-8 for something else; files for programs hold what is stored.
 * @source D-69
 */
export function writeExportQuery(
  { filter, sort, search, select }: ExportQuery,
  format: ExportFormat,
): Record<string, unknown> {
  return {
    format,
    cells: format === 'csv' || format === 'xlsx' ? 'labels' : undefined,
    bom: format === 'csv' ? true : undefined,
    filter: filter === undefined || Object.keys(filter).length === 0 ? undefined : JSON.stringify(filter),
    sort: sort === '' ? undefined : sort,
    search: search === '' ? undefined : search,
    select: select === undefined || select.length === 0 ? undefined : select.join(','),
  }
}
