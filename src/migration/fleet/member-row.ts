/** A member as it lies in the table, and all of them in their order. */
import type { Member, MemberWork } from './fleet-ledger.js';

/** What is true of the row of a member whose lease holds. */
export const IS_THERE = 'member.left_at is null and member.expires_at > clock_timestamp()';

export interface MemberRow {
  id: string;
  name: string;
  host: string;
  pid: number;
  joined_at: Date;
  left_at: Date | null;
  is_there: boolean;
  work: MemberWork;
}

/** The first to join first. */
export function allMembers(schema: string): string {
  return `select id, name, host, pid, joined_at, left_at, ${IS_THERE} as is_there, work
    from ${schema}.member order by joined_at, id`;
}

export function memberOf({ id, name, host, pid, joined_at, left_at, is_there, work }: MemberRow): Member {
  return {
    id,
    name,
    host,
    pid,
    joinedAt: joined_at.toISOString(),
    leftAt: left_at === null ? null : left_at.toISOString(),
    isThere: is_there,
    work,
  };
}
