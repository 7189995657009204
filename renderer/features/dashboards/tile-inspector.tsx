// Owns changing one tile: what it is, what it measures of which object, in which groups, under which filter.
import { Button, NativeSelect, NumberInput, TextInput, Textarea } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  FilterPanel,
  filterWords,
  groupChoices,
  measureChoices,
  useFieldContext,
  useShownFields,
  useStoredViews,
} from '../records/index.ts'
import { namesIn, objectOfTile } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import classes from './dashboards.module.css'
import { orderOf, tileOrders, withFilter, withKind, withMember, withObject, withOrder, withQuery } from './tile-edit.ts'
import { tileConditions } from './tile-drill.ts'
import { maxHeight } from './tile-layout.ts'
import type { PlacedTile } from './tile-layout.ts'
import { kindLabel, kindOf, tileKinds } from './tile-words.ts'
import type { TileKind } from './tile-words.ts'

const noObject: ObjectItem = { name: '', fields: {} }

interface InspectorProps {
  tile: PlacedTile
  columns: number
  objects: readonly ObjectItem[]
  /** `what` tells apart steps that are one while they follow each other quickly. */
  onChange: (tile: Tile, what: string) => void
  onSize: (dw: number, dh: number) => void
  onRemove: () => void
}

/** The form; everything counts at once. */
export function TileInspector(props: InspectorProps) {
  const { tile, columns, objects, onChange } = props
  const kind = kindOf(tile)
  const object = objects.find(({ name }) => name === objectOfTile(tile))
  const fields = useShownFields(object ?? noObject)
  const { w, h } = tile.layout
  const toKind = (next: TileKind): void => onChange(withKind(tile, next, fields), 'kind')
  return (
    <div className={classes.inspector}>
      <TextInput
        label={t('dashboards.tile.title')}
        value={tile.title ?? ''}
        autoComplete="off"
        onChange={(event) => onChange({ ...tile, title: event.currentTarget.value || undefined }, `title ${tile.id}`)}
      />
      <NativeSelect
        label={t('word.kind')}
        value={kind}
        data={tileKinds.map((value) => ({ value, label: kindLabel(value) }))}
        onChange={(event) => toKind(tileKinds.find((each) => each === event.currentTarget.value) ?? kind)}
      />
      {kind === 'text' ? (
        <Textarea
          label={t('word.text')}
          description={t('dashboards.tile.text.help')}
          autosize
          minRows={6}
          maxRows={16}
          value={typeof tile.options?.['text'] === 'string' ? tile.options['text'] : ''}
          onChange={(event) =>
            onChange({ ...tile, options: { ...tile.options, text: event.currentTarget.value } }, `text ${tile.id}`)
          }
        />
      ) : (
        <NativeSelect
          label={t('dashboards.tile.object')}
          value={object?.name ?? ''}
          data={[
            ...(object ? [] : [{ value: '', label: t('word.chooseDots') }]),
            ...objects.map((one) => ({ value: one.name, label: objectPluralLabel(one) })),
          ]}
          onChange={(event) => onChange(withObject(tile, kind, event.currentTarget.value, fields), 'object')}
        />
      )}
      {object && kind !== 'text' && <ObjectPart key={object.name} {...props} object={object} kind={kind} />}
      <div className={classes.pair}>
        <NumberInput
          label={t('dashboards.tile.width', { columns })}
          min={1}
          max={columns}
          allowDecimal={false}
          value={w}
          onChange={(next) => Number(next) >= 1 && props.onSize(Number(next) - w, 0)}
        />
        <NumberInput
          label={t('dashboards.tile.height')}
          min={1}
          max={maxHeight}
          allowDecimal={false}
          value={h}
          onChange={(next) => Number(next) >= 1 && props.onSize(0, Number(next) - h)}
        />
      </div>
      <Button variant="subtle" color="red" onClick={props.onRemove} className={classes.start ?? ''}>
        {t('dashboards.tile.remove')}
      </Button>
    </div>
  )
}

function ObjectPart(props: InspectorProps & { object: ObjectItem; kind: TileKind }) {
  const { tile, object, kind, onChange } = props
  const fields = useShownFields(object)
  const context = useFieldContext()
  const { data: views = [] } = useStoredViews(object.name)
  const [filtering, setFiltering] = useState(false)
  const listed = views.filter(({ type }) => type !== 'form')
  const ofView = kind === 'list' || kind === 'table'
  const isFigures = kind !== 'list' && tile.view === undefined
  const own = tileConditions(tile, fields, context)
  const words = own ? filterWords(own, fields, context) : undefined
  const limit = isFigures ? tile.query?.['limit'] : tile.options?.['limit']
  return (
    <>
      {ofView && (
        <NativeSelect
          label={t('word.view')}
          description={listed.length === 0 && kind === 'list' ? t('dashboards.tile.noViews') : undefined}
          value={tile.view ?? ''}
          data={[
            { value: '', label: t(kind === 'table' ? 'dashboards.tile.figures' : 'word.chooseDots') },
            ...listed.map(({ id, label }) => ({ value: id, label })),
          ]}
          onChange={(event) => {
            const view = event.currentTarget.value
            if (view !== '') onChange({ ...tile, view, query: undefined }, 'view')
            else onChange(withObject(tile, kind, object.name, fields), 'view')
          }}
        />
      )}
      {isFigures && (
        <>
          <NativeSelect
            label={t('word.show')}
            value={namesIn(tile.query?.['measures'])[0] ?? 'count'}
            data={withCurrent(measureChoices(fields), namesIn(tile.query?.['measures'])[0])}
            onChange={(event) => onChange(withMember(tile, { measure: event.currentTarget.value }), 'measure')}
          />
          {kind !== 'number' && (
            <>
              <NativeSelect
                label={t('summary.groupBy')}
                value={namesIn(tile.query?.['dimensions'])[0] ?? ''}
                data={[
                  ...(namesIn(tile.query?.['dimensions']).length > 0
                    ? []
                    : [{ value: '', label: t('word.chooseDots') }]),
                  ...withCurrent(groupChoices(fields), namesIn(tile.query?.['dimensions'])[0]),
                ]}
                onChange={(event) => onChange(withMember(tile, { dimension: event.currentTarget.value }), 'group')}
              />
              <NativeSelect
                label={t('word.order')}
                value={orderOf(tile)}
                data={tileOrders.map((value) => ({
                  value,
                  label: t(`dashboards.order.${value === '' ? 'usual' : value}` as StringKey),
                }))}
                onChange={(event) => {
                  const order = tileOrders.find((each) => each === event.currentTarget.value) ?? ''
                  onChange(withOrder(tile, order), 'order')
                }}
              />
            </>
          )}
          <Button
            variant="default"
            leftSection={<IconFilter size={14} aria-hidden />}
            classNames={{ label: classes.barWords ?? '' }}
            onClick={() => setFiltering(true)}
          >
            {words === undefined
              ? t(own === null ? 'dashboards.tile.otherFilter' : 'records.filter')
              : t('records.filterOn', { summary: words })}
          </Button>
        </>
      )}
      {kind !== 'number' && (
        <NumberInput
          label={t('word.atMost')}
          min={1}
          max={200}
          allowDecimal={false}
          value={typeof limit === 'number' ? limit : ''}
          onChange={(next) => {
            const count = Number(next) >= 1 ? Math.trunc(Number(next)) : undefined
            if (isFigures) onChange(withQuery(tile, { limit: count }), `limit ${tile.id}`)
            else onChange({ ...tile, options: { ...tile.options, limit: count } }, `limit ${tile.id}`)
          }}
        />
      )}
      <Dialog opened={filtering} onClose={() => setFiltering(false)} title={t('dashboards.tile.filter')}>
        {own === null && <Notice tone="warn">{t('dashboards.tile.otherFilter.text')}</Notice>}
        {filtering && (
          <FilterPanel
            fields={fields}
            context={context}
            filter={own ?? undefined}
            startField={undefined}
            found={undefined}
            onFilter={(filter) => onChange(withFilter(tile, filter, fields, context), `filter ${tile.id}`)}
          />
        )}
      </Dialog>
    </>
  )
}

/** The choices, and the one in force when the screens offer no such one. */
function withCurrent(
  choices: readonly { value: string; label: string }[],
  current: string | undefined,
): { value: string; label: string }[] {
  const isKnown = current === undefined || choices.some(({ value }) => value === current)
  return [...choices, ...(isKnown ? [] : [{ value: current, label: current }])]
}
