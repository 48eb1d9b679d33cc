-- Ordinary reads, as frameworks and people write them: one statement per line; every one must be classified a read
-- on MySQL 9 and MariaDB 11. Lines that begin with "--" are skipped.
-- WordPress
SELECT option_name, option_value FROM wp_options WHERE autoload = 'yes'
SELECT option_value FROM wp_options WHERE option_name = 'siteurl' LIMIT 1
SELECT * FROM wp_users WHERE user_login = 'admin' LIMIT 1
SELECT user_id, meta_key, meta_value FROM wp_usermeta WHERE user_id IN (1,2,3) ORDER BY umeta_id ASC
SELECT SQL_CALC_FOUND_ROWS  wp_posts.ID FROM wp_posts  WHERE 1=1  AND ((wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish' OR wp_posts.post_status = 'private')))  ORDER BY wp_posts.post_date DESC LIMIT 0, 10
SELECT wp_posts.* FROM wp_posts WHERE ID IN (12,14,99)
SELECT t.*, tt.*, tr.object_id FROM wp_terms AS t INNER JOIN wp_term_taxonomy AS tt ON t.term_id = tt.term_id INNER JOIN wp_term_relationships AS tr ON tr.term_taxonomy_id = tt.term_taxonomy_id WHERE tt.taxonomy IN ('category', 'post_tag', 'post_format') AND tr.object_id IN (1, 5, 7) ORDER BY t.name ASC
SELECT post_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (1,2) ORDER BY meta_id ASC
SELECT COUNT( * ) FROM wp_comments WHERE comment_approved = '1'
SELECT comment_approved, COUNT( * ) AS total FROM wp_comments GROUP BY comment_approved
SELECT YEAR(post_date) AS `year`, MONTH(post_date) AS `month`, count(ID) as posts FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' GROUP BY YEAR(post_date), MONTH(post_date) ORDER BY post_date DESC LIMIT 12
SELECT ID, post_name, post_parent, post_type FROM wp_posts WHERE post_name IN ('about','contact') AND post_type IN ('page','attachment')
SELECT DISTINCT meta_key FROM wp_postmeta WHERE meta_key NOT BETWEEN '_' AND '_z' HAVING meta_key NOT LIKE '\\_%' ORDER BY meta_key LIMIT 30
SELECT autoload, COUNT(*) AS c, SUM(LENGTH(option_value)) FROM wp_options GROUP BY autoload
SELECT p.ID FROM wp_posts AS p WHERE p.post_date < '2024-01-01 00:00:00' AND p.post_type = 'post' AND ( p.post_status = 'publish' ) ORDER BY p.post_date DESC LIMIT 1
SELECT DATE_FORMAT(post_date, '%Y-%m-%d') AS d, COUNT(*) FROM wp_posts GROUP BY d WITH ROLLUP
-- WooCommerce
SELECT   wp_posts.ID FROM wp_posts  LEFT JOIN wp_term_relationships ON (wp_posts.ID = wp_term_relationships.object_id) WHERE 1=1  AND ( wp_term_relationships.term_taxonomy_id IN (7) ) AND wp_posts.post_type = 'product' GROUP BY wp_posts.ID ORDER BY wp_posts.menu_order ASC, wp_posts.post_title ASC LIMIT 0, 16
SELECT min( min_price ) as min_price, MAX( max_price ) as max_price FROM wp_wc_product_meta_lookup WHERE product_id IN ( SELECT ID FROM wp_posts WHERE post_status = 'publish' )
SELECT SUM( order_item_meta.meta_value ) as qty, order_item_meta_2.meta_value as product_id FROM wp_posts as posts LEFT JOIN wp_woocommerce_order_items as order_items ON posts.ID = order_id LEFT JOIN wp_woocommerce_order_itemmeta AS order_item_meta ON order_items.order_item_id = order_item_meta.order_item_id LEFT JOIN wp_woocommerce_order_itemmeta as order_item_meta_2 ON order_items.order_item_id = order_item_meta_2.order_item_id WHERE posts.post_status IN ('wc-completed') GROUP BY product_id ORDER BY qty DESC LIMIT 1
-- Drupal
SELECT 1 AS "expression" FROM router "router" WHERE EXISTS (SELECT 1 FROM dual)
SELECT name, value FROM variable
SELECT base.nid AS nid, base.vid AS vid, base.type AS type, revision.title AS title FROM node base INNER JOIN node_revision revision ON revision.vid = base.vid WHERE (base.nid IN ('1', '2'))
SELECT cid, data, created, expire, serialized, tags, checksum FROM cache_config WHERE cid IN ( 'system.site', 'core.extension' ) ORDER BY cid
SELECT COUNT(*) AS expression FROM (SELECT 1 AS expression FROM users_field_data users_field_data WHERE users_field_data.status = '1') subquery
SELECT n.nid, n.title, c.comment_count FROM node_field_data n LEFT OUTER JOIN comment_entity_statistics c ON n.nid = c.entity_id AND c.entity_type = 'node' WHERE n.promote = 1 AND n.status = 1 ORDER BY n.sticky DESC, n.created DESC LIMIT 10 OFFSET 0
SELECT data FROM sessions WHERE sid = 'x' LIMIT 0, 1
SELECT config.name AS name FROM config config WHERE (collection = '') AND (name LIKE 'block.block.%' ESCAPE '\\') ORDER BY collection ASC, name ASC
-- Rails
SELECT `users`.* FROM `users` WHERE `users`.`id` = 1 LIMIT 1
SELECT 1 AS one FROM `users` WHERE `users`.`email` = BINARY 'a@b.c' LIMIT 1
SELECT COUNT(*) FROM `posts` WHERE `posts`.`user_id` = 42
SELECT COUNT(DISTINCT `posts`.`id`) FROM `posts` LEFT OUTER JOIN `comments` ON `comments`.`post_id` = `posts`.`id`
SELECT `posts`.`id` AS t0_r0, `posts`.`title` AS t0_r1, `comments`.`id` AS t1_r0 FROM `posts` LEFT OUTER JOIN `comments` ON `comments`.`post_id` = `posts`.`id` WHERE `comments`.`spam` = FALSE ORDER BY `posts`.`id` ASC LIMIT 25 OFFSET 50
SELECT SUM(`orders`.`total`) AS sum_total, `orders`.`state` AS orders_state FROM `orders` GROUP BY `orders`.`state`
SELECT `a`.* FROM `a` INNER JOIN `b` ON `b`.`id` = `a`.`b_id` WHERE `b`.`deleted_at` IS NULL AND (`a`.`x` > 3 OR NOT (`a`.`y` = 4)) /*application:shop,controller:orders,action:index*/
SELECT `x`.* FROM `x` WHERE (created_at >= '2024-05-01' AND created_at < '2024-06-01') AND `x`.`kind` IN ('a', 'b') ORDER BY FIELD(`x`.`kind`, 'b', 'a')
SELECT MAX(`schema_migrations`.`version`) FROM `schema_migrations`
SELECT `ar_internal_metadata`.`value` FROM `ar_internal_metadata` WHERE `ar_internal_metadata`.`key` = 'environment' LIMIT 1
SELECT column_name FROM information_schema.statistics WHERE index_name = 'PRIMARY' AND table_schema = database() AND table_name = 'users' ORDER BY seq_in_index
SELECT fk.referenced_table_name AS 'to_table', fk.referenced_column_name AS 'primary_key', fk.column_name AS 'column', fk.constraint_name AS 'name', rc.update_rule AS 'on_update', rc.delete_rule AS 'on_delete' FROM information_schema.referential_constraints rc JOIN information_schema.key_column_usage fk USING (constraint_schema, constraint_name) WHERE fk.referenced_column_name IS NOT NULL AND fk.table_schema = database() AND fk.table_name = 'posts' AND rc.constraint_schema = database()
SHOW FULL FIELDS FROM `users`
SHOW KEYS FROM `users`
SHOW CREATE TABLE `users`
SELECT @@max_allowed_packet
SELECT VERSION()
-- Django
SELECT `auth_user`.`id`, `auth_user`.`password`, `auth_user`.`last_login` FROM `auth_user` WHERE `auth_user`.`username` = 'x' LIMIT 21
SELECT (1) AS `a` FROM `django_session` WHERE `django_session`.`session_key` = 'k' LIMIT 1
SELECT `django_content_type`.`app_label`, `auth_permission`.`codename` FROM `auth_permission` INNER JOIN `auth_group_permissions` ON (`auth_permission`.`id` = `auth_group_permissions`.`permission_id`) INNER JOIN `auth_group` ON (`auth_group_permissions`.`group_id` = `auth_group`.`id`) WHERE `auth_permission`.`id` > 0 ORDER BY NULL
SELECT COUNT(*) AS `__count` FROM `app_item` WHERE (`app_item`.`name` LIKE BINARY '%x%' AND NOT (`app_item`.`id` IN (SELECT U0.`item_id` FROM `app_tag` U0 WHERE U0.`name` = 'y')))
SELECT CAST(DATE_FORMAT(`app_item`.`created`, '%Y-%m-01') AS DATE) AS `m`, COUNT(`app_item`.`id`) AS `n` FROM `app_item` GROUP BY CAST(DATE_FORMAT(`app_item`.`created`, '%Y-%m-01') AS DATE) ORDER BY NULL
SELECT COALESCE(SUM(`app_order`.`total`), 0.0) AS `s` FROM `app_order` WHERE `app_order`.`created` BETWEEN '2024-01-01 00:00:00' AND '2024-12-31 23:59:59.999999'
SELECT CASE WHEN `t`.`a` > 1 THEN 'x' WHEN (`t`.`a` = 1 AND `t`.`b` IS NOT NULL) THEN 'y' ELSE NULL END AS `k` FROM `t`
SELECT CONVERT_TZ(`t`.`d`, 'UTC', 'Europe/Berlin') AS `d`, EXTRACT(YEAR FROM CONVERT_TZ(`t`.`d`, 'UTC', 'Europe/Berlin')) FROM `t`
SELECT ROW_NUMBER() OVER (PARTITION BY `t`.`g` ORDER BY `t`.`v` DESC) AS `rn`, LAG(`t`.`v`, 1) OVER (ORDER BY `t`.`id`) FROM `t`
SELECT TIMESTAMPDIFF(MICROSECOND, `t`.`a`, `t`.`b`) AS `d` FROM `t` WHERE `t`.`data` REGEXP '^x' AND CONCAT(`t`.`a`, 'y') LIKE '%z'
SELECT `t`.`id` FROM `t` WHERE JSON_UNQUOTE(JSON_EXTRACT(`t`.`data`, '$.a')) = 'b' AND JSON_CONTAINS(`t`.`data`, '1', '$.c')
SELECT `t`.`id`, (SELECT COUNT(*) FROM `u` U0 WHERE U0.`t_id` = (`t`.`id`)) AS `c` FROM `t` WHERE EXISTS(SELECT 1 AS `a` FROM `u` U0 WHERE U0.`t_id` = (`t`.`id`) LIMIT 1)
SHOW FULL TABLES
SELECT @@sql_mode
-- Magento
SELECT `main_table`.* FROM `store` AS `main_table` ORDER BY main_table.sort_order ASC
SELECT `e`.*, `cat_index`.`position` AS `cat_index_position`, `price_index`.`price`, IF(price_index.tier_price IS NOT NULL, LEAST(price_index.min_price, price_index.tier_price), price_index.min_price) AS `minimal_price` FROM `catalog_product_entity` AS `e` INNER JOIN `catalog_category_product_index_store1` AS `cat_index` ON cat_index.product_id=e.entity_id AND cat_index.store_id=1 AND cat_index.visibility IN(2, 4) INNER JOIN `catalog_product_index_price` AS `price_index` ON price_index.entity_id = e.entity_id AND price_index.customer_group_id = 0 LIMIT 12
SELECT `u`.* FROM ((SELECT `t`.`value`, `t`.`attribute_id` FROM `catalog_product_entity_varchar` AS `t` WHERE (entity_id = 1)) UNION ALL (SELECT `t`.`value`, `t`.`attribute_id` FROM `catalog_product_entity_int` AS `t` WHERE (entity_id = 1))) AS `u`
SELECT IF(at_status.value_id > 0, at_status.value, at_status_default.value) AS `status` FROM `catalog_product_entity` AS `e` INNER JOIN `eav` AS `at_status_default` ON (`at_status_default`.`entity_id` = `e`.`entity_id`) LEFT JOIN `eav` AS `at_status` ON (`at_status`.`entity_id` = `e`.`entity_id`) WHERE (IF(at_status.value_id > 0, at_status.value, at_status_default.value) = '1')
SELECT SUM((oi.qty_ordered - IFNULL(oi.qty_canceled, 0)) * (1 - IFNULL(oi.discount, 0) / 100)) FROM sales_order_item AS oi
SELECT `search_result`.`entity_id`, MAX(score) AS `relevance` FROM (SELECT `search_index`.`entity_id`, (((0) + (0)) * 1) + LEAST((MATCH (data_index) AGAINST ('shirt*' IN BOOLEAN MODE)), 1000000) * POW(2, weight) AS `score` FROM `catalogsearch_fulltext_scope1` AS `search_index`) AS `search_result` GROUP BY `entity_id`
SELECT GROUP_CONCAT(DISTINCT a.x ORDER BY a.x DESC SEPARATOR ',') FROM a GROUP BY a.y
-- MediaWiki, phpBB, Joomla, Nextcloud, Moodle
SELECT /* MediaWiki\Page\WikiPage::pageData */ page_id,page_namespace,page_title,page_restrictions,page_is_redirect FROM `page` WHERE page_namespace = 0 AND page_title = 'Main_Page' LIMIT 1
SELECT rc_id,rc_timestamp,actor_name AS `rc_user_text` FROM `recentchanges` JOIN `actor` ON ((actor_id=rc_actor)) LEFT JOIN `watchlist` ON (wl_user = '1' AND (wl_title=rc_title) AND (wl_namespace=rc_namespace)) STRAIGHT_JOIN page WHERE (rc_timestamp >= '20240501000000') ORDER BY rc_timestamp DESC LIMIT 50
SELECT f.*, ft.mark_time FROM (phpbb_forums f) LEFT JOIN phpbb_forums_track ft ON (ft.user_id = 2 AND ft.forum_id = f.forum_id) ORDER BY f.left_id
SELECT m.id, m.menutype, e.element as component FROM `#__menu` AS m LEFT JOIN `#__extensions` AS e ON m.component_id = e.extension_id WHERE m.published = 1 AND m.parent_id > 0 AND (m.publish_up IS NULL OR m.publish_up <= '2024-05-01 08:00:00') ORDER BY m.lft
SELECT `path`, `storage`, `mtime` FROM `oc_filecache` `file` LEFT JOIN `oc_filecache_extended` `fe` ON `file`.`fileid` = `fe`.`fileid` WHERE (`storage` = 2) AND (`path_hash` = 'abc')
SELECT ctx.id, ctx.path, cc.fullname FROM mdl_course cc JOIN mdl_context ctx ON ctx.instanceid = cc.id AND ctx.contextlevel = 50 WHERE cc.id <> 1 AND (cc.visible = 1 OR EXISTS (SELECT 'x' FROM mdl_user_enrolments ue JOIN mdl_enrol e ON (e.id = ue.enrolid) WHERE ue.userid = 2))
-- Hibernate, Doctrine, SQLAlchemy, Laravel, Hasura
select u1_0.id,u1_0.name,o1_0.user_id,o1_0.id from users u1_0 left join orders o1_0 on u1_0.id=o1_0.user_id where u1_0.id=17
SELECT t0.id AS id_1, t0.username AS username_2 FROM user t0 WHERE t0.username = 'x' LIMIT 1
SELECT DISTINCT id_0 FROM (SELECT p0_.id AS id_0, p0_.title AS title_1 FROM post p0_ ORDER BY p0_.title ASC) dctrn_result LIMIT 10
SELECT anon_1.id, anon_1.name FROM (SELECT a.id AS id, a.name AS name FROM a UNION SELECT b.id AS id, b.name AS name FROM b) AS anon_1 WHERE anon_1.name IN ('x', 'y')
select * from `users` where exists (select * from `roles` inner join `role_user` on `roles`.`id` = `role_user`.`role_id` where `users`.`id` = `role_user`.`user_id` and `name` = 'admin') and `users`.`deleted_at` is null order by `created_at` desc limit 15 offset 0
select count(*) as aggregate from `jobs` where `queue` = 'default' and json_extract(`payload`, '$."attempts"') > 3
select `id`, json_unquote(json_extract(`meta`, '$."lang"')) as `lang`, `data`->'$.x', `data`->>'$.y' from `t`
select cast(coalesce(json_arrayagg(`j`), json_array()) as char) as `root` from (select json_object('id', `id`, 'n', `n`) as `j` from `t` limit 3) as `x`
-- sysbench and benchmarks
SELECT c FROM sbtest1 WHERE id=5019
SELECT c FROM sbtest1 WHERE id BETWEEN 5019 AND 5118
SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 5019 AND 5118
SELECT c FROM sbtest1 WHERE id BETWEEN 5019 AND 5118 ORDER BY c
SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 5019 AND 5118 ORDER BY c
select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge, avg(l_discount), count(*) as count_order from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day group by l_returnflag, l_linestatus order by l_returnflag
select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share from (select extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, n2.n_name as nation from part, supplier, lineitem, orders, nation n2 where p_partkey = l_partkey) as all_nations group by o_year
select c_count, count(*) as custdist from (select c_custkey, count(o_orderkey) from customer left outer join orders on c_custkey = o_custkey and o_comment not like '%special%requests%' group by c_custkey) as c_orders (c_custkey, c_count) group by c_count order by custdist desc
-- plain SQL of all kinds
SELECT 1
SELECT 1;
select 1 from dual
SELECT NULL, TRUE, FALSE, 1.5, .5, 1., 1e3, 1.5E-3, 0x1F, 0b101, x'4D', b'1', N'a', _utf8mb4'a', _latin1 x'41', 'a' 'b', "c", \N
SELECT -1, +1, ~1, !1, NOT 1, 1 + 1, 1 - 1, 1 * 1, 1 / 1, 1 DIV 1, 1 MOD 1, 1 % 1, 1 | 1, 1 & 1, 1 ^ 1, 1 << 1, 1 >> 1, 1 <=> 1, 1 <> 1, 1 != 1, 1 AND 1, 1 && 1, 1 OR 1, 1 XOR 1
SELECT 'it''s', "say ""hi""", 'back\\slash', 'new\nline', 'quote\'', '%\_'
SELECT a b, c AS d, e AS 'f', g AS "h", i `j` FROM t
SELECT t.*, u.a FROM db.t, db2.u WHERE t.id = u.id
SELECT `a b`.`c``d` FROM `a b`
SELECT .t.a FROM t
SELECT t . a FROM db . t
SELECT * FROM 1abc, t.2def
SELECT * FROM t WHERE (a, b) = (1, 2) AND (a, b) IN ((1, 2), (3, 4)) AND ROW(1, 2) = ROW(a, b)
SELECT * FROM t WHERE a BETWEEN (1) AND (2) OR a LIKE ('x%') OR a IN (SELECT (1)) OR a = ANY (SELECT 1) OR a > ALL (SELECT 2) OR a < SOME (SELECT 3)
SELECT * FROM t WHERE a IS NULL OR b IS NOT TRUE OR c SOUNDS LIKE 'd' OR d NOT REGEXP 'x' OR e RLIKE ('y')
SELECT * FROM a LEFT JOIN (b, c) ON (a.x = b.x AND a.y = c.y) RIGHT OUTER JOIN d USING (id, id2) NATURAL JOIN e CROSS JOIN f STRAIGHT_JOIN g ON g.a = f.a
SELECT * FROM (a JOIN b ON a.i = b.i) JOIN (c JOIN d ON c.i = d.i) ON a.i = c.i
SELECT * FROM t USE INDEX (i1, i2) IGNORE INDEX FOR ORDER BY (i3) FORCE KEY FOR JOIN (i4) WHERE a = 1
SELECT * FROM t PARTITION (p0, p1) AS x WHERE a = 1
SELECT HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_NO_CACHE DISTINCT a FROM t
SELECT ALL (a), DISTINCTROW FROM t
SELECT DISTINCT (a), (b) FROM t
SELECT a, COUNT(*) c FROM t GROUP BY a ASC, (b) HAVING c > 1 ORDER BY c DESC, (a) LIMIT 5, 10
SELECT a FROM t WHERE MATCH (x, y) AGAINST ('word' IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION)
SELECT a FROM t WHERE d > NOW() - INTERVAL 1 DAY AND d < CURRENT_TIMESTAMP + INTERVAL (1 + 1) HOUR AND e = CURDATE()
SELECT DATE_ADD('2024-01-01', INTERVAL '1 1:1:1' DAY_SECOND), DATE_SUB(NOW(6), INTERVAL a MINUTE), ADDDATE(d, 5), TIMESTAMP '2024-01-01 00:00:00', DATE '2024-01-01', TIME '10:00', {d '2024-01-01'}, {ts '2024-01-01 00:00:00'}, {fn NOW()}
SELECT CAST(a AS CHAR(10)), CAST(b AS SIGNED), CAST(c AS UNSIGNED INTEGER), CAST(d AS DECIMAL(10, 2)), CAST(e AS BINARY(5)), CAST(f AS DATETIME(3)), CAST(g AS CHAR CHARACTER SET utf8mb4), CONVERT(h, CHAR(5)), CONVERT(i, DECIMAL(5,2)), CONVERT(j USING utf8mb4) FROM t
SELECT TRIM(BOTH 'x' FROM a), TRIM(a), SUBSTRING(a FROM 2), SUBSTRING(a FROM 2 FOR 3), SUBSTRING(a, 2, 3), SUBSTR(a, 1), MID(a, 1, 2), POSITION('a' IN b), LEFT(a, 2), RIGHT(a, 2), CHAR(65 USING utf8mb4), INSERT(a, 1, 2, 'x'), REPLACE(a, 'b', 'c'), REPEAT('a', 3), REVERSE(a), LOCATE('a', b), ELT(1, a), FIELD(a, b), FORMAT(a, 2), HEX(a), UNHEX(a), LPAD(a, 5, '0'), LCASE(a), UCASE(a), SPACE(2), QUOTE(a), SOUNDEX(a), STRCMP(a, b), WEIGHT_STRING(a AS CHAR(4)) FROM t
SELECT IF(a, b, c), IFNULL(a, b), NULLIF(a, b), COALESCE(a, b, c), ISNULL(a), GREATEST(a, b), LEAST(a, b), INTERVAL(a, 1, 10, 100) FROM t
SELECT ABS(a), CEIL(a), CEILING(a), FLOOR(a), ROUND(a, 2), TRUNCATE(a, 2), MOD(a, 2), POW(a, 2), SQRT(a), RAND(), RAND(5), SIGN(a), PI(), LN(a), LOG(a), LOG2(a), LOG10(a), EXP(a), SIN(a), COS(a), TAN(a), ATAN2(a, b), DEGREES(a), RADIANS(a), CONV(a, 10, 2), BIN(a), OCT(a), CRC32(a), BIT_COUNT(a) FROM t
SELECT COUNT(a), COUNT(DISTINCT a, b), SUM(DISTINCT a), AVG(a), MIN(a), MAX(a), STD(a), STDDEV_SAMP(a), VAR_POP(a), VARIANCE(a), BIT_AND(a), BIT_OR(a), BIT_XOR(a), GROUP_CONCAT(a) FROM t
SELECT DATEDIFF(a, b), TIMEDIFF(a, b), DAYOFWEEK(a), DAYOFMONTH(a), DAYOFYEAR(a), DAYNAME(a), MONTHNAME(a), WEEK(a, 1), WEEKDAY(a), YEARWEEK(a), QUARTER(a), HOUR(a), MINUTE(a), SECOND(a), MICROSECOND(a), LAST_DAY(a), MAKEDATE(2024, 5), MAKETIME(1, 2, 3), STR_TO_DATE(a, '%d'), TO_DAYS(a), FROM_DAYS(a), UNIX_TIMESTAMP(), UNIX_TIMESTAMP(a), FROM_UNIXTIME(a), SEC_TO_TIME(a), TIME_TO_SEC(a), TIMESTAMPADD(DAY, 1, a), UTC_DATE(), UTC_TIMESTAMP(3), SYSDATE(), GET_FORMAT(DATE, 'EUR'), PERIOD_ADD(a, b) FROM t
SELECT USER(), CURRENT_USER(), CURRENT_USER, SESSION_USER(), SYSTEM_USER(), DATABASE(), SCHEMA(), VERSION(), UUID(), CHARSET('a'), COLLATION('a'), COERCIBILITY('a')
SELECT SHA2('a', 256), AES_ENCRYPT('a', 'b'), COMPRESS('a'), UNCOMPRESS(a), TO_BASE64(a), FROM_BASE64(a), INET_ATON('1.2.3.4'), INET6_NTOA(a), IS_IPV4('x'), BENCHMARK(1, 1), SLEEP(0), RANDOM_BYTES(3) FROM t
SELECT a COLLATE utf8mb4_bin, BINARY a, BINARY(a), _utf8mb4 'x' COLLATE utf8mb4_general_ci FROM t
SELECT CASE a WHEN 1 THEN (2) ELSE (3) END, CASE WHEN (a) THEN 1 END FROM t
SELECT a FROM t WHERE a IN (1,2,3) UNION ALL SELECT b FROM u UNION DISTINCT (SELECT c FROM v ORDER BY c LIMIT 1) ORDER BY 1 LIMIT 3
(SELECT 1) UNION (SELECT 2) ORDER BY 1
((SELECT 1))
SELECT 1 EXCEPT SELECT 2
SELECT 1 INTERSECT (SELECT 1)
SELECT a FROM t EXCEPT ALL (SELECT b FROM u)
WITH a AS (SELECT 1 AS n) SELECT n FROM a
WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b JOIN a
WITH RECURSIVE r (n, p) AS (SELECT 1, CAST('1' AS CHAR(100)) UNION ALL SELECT n + 1, CONCAT(p, ',', n + 1) FROM r WHERE n < 10) SELECT * FROM r
SELECT * FROM (WITH x AS (SELECT 1 a) SELECT a FROM x) AS d
SELECT a, RANK() OVER w, SUM(b) OVER (PARTITION BY c ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t WINDOW w AS (PARTITION BY c ORDER BY d)
SELECT FIRST_VALUE(a) OVER (ORDER BY b), NTH_VALUE(a, 2) OVER (ORDER BY b), NTILE(4) OVER (ORDER BY b), PERCENT_RANK() OVER (ORDER BY b), CUME_DIST() OVER (ORDER BY b), DENSE_RANK() OVER (ORDER BY b), LEAD(a) OVER (ORDER BY b), COUNT(*) OVER () FROM t
SELECT j.* FROM t, JSON_TABLE(t.doc, '$[*]' COLUMNS (id FOR ORDINALITY, name VARCHAR(100) PATH '$.name' DEFAULT '"x"' ON EMPTY, NESTED PATH '$.tags[*]' COLUMNS (tag VARCHAR(20) PATH '$'))) AS j
SELECT JSON_OBJECT('a', 1), JSON_ARRAY(1, 2), JSON_SET(a, '$.b', 1), JSON_KEYS(a), JSON_LENGTH(a), JSON_VALID(a), JSON_SEARCH(a, 'one', 'b'), JSON_MERGE_PATCH(a, b), JSON_OBJECTAGG(a, b), JSON_VALUE(a, '$.c'), JSON_TYPE(a), JSON_PRETTY(a) FROM t
SELECT ST_AsText(g), ST_Distance(g, ST_GeomFromText('POINT(1 2)')), ST_X(g), ST_Contains(g, h), MBRContains(g, h), POINT(1, 2), LINESTRING(POINT(0,0), POINT(1,1)), ST_Buffer(g, 1) FROM t
SELECT REGEXP_REPLACE(a, 'b', 'c'), REGEXP_SUBSTR(a, 'b'), REGEXP_INSTR(a, 'b') FROM t
SELECT ExtractValue(a, '/b'), UpdateXML(a, '/b', 'c') FROM t
SELECT a AS `select`, b AS `from`, c AS 'into' FROM t
SELECT t.select, t.from, t.into, t.update FROM t
SELECT value, status, count, name, date, time, text, type, level, mode, next, open, role, share FROM t
SELECT * FROM session, status, variables, user, events, data WHERE event = 1 AND names = 2
SELECT id FROM t WHERE name = 'FOR UPDATE' AND note = "INSERT INTO x" AND k = 'a; DELETE FROM t'
SELECT/**/1/* x */FROM/**/t
SELECT	1	FROM	t
/* leading */ -- and another
# yes
SELECT /*+ MAX_EXECUTION_TIME(1000) NO_INDEX_MERGE(t) */ a FROM t
SELECT /*!40001 SQL_NO_CACHE */ * FROM t
SELECT @a, @@session.sql_mode, @@character_set_client, @@collation_connection, @@time_zone, @@tx_isolation
SELECT @@version, @@version_comment, @@autocommit, @@wait_timeout, @@max_allowed_packet, @@lower_case_table_names
SELECT * FROM information_schema.tables WHERE table_schema = 'x'
SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY ORDINAL_POSITION
SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA
SELECT a FROM t LIMIT ? OFFSET ?
SELECT a FROM t WHERE b = ? AND c IN (?, ?, ?)
SELECT a FROM t ORDER BY RAND() LIMIT 1
SELECT IF(EXISTS(SELECT 1 FROM t), 1, 0)
SELECT (SELECT MAX(a) FROM t) - (SELECT MIN(a) FROM t)
SELECT NOT EXISTS (SELECT 1), NOT (1), NOT(1)
SELECT a FROM t1 AS x JOIN LATERAL_TABLE AS y ON x.a = y.a
SELECT * FROM t WHERE a = 1 AND(b = 2)OR(c = 3)
SELECT COUNT(*)FROM t WHERE(a=1)
SELECT*FROM t
SELECT VALUES(a) FROM t
DO 1, SLEEP(0)
TABLE t ORDER BY a LIMIT 3
VALUES ROW(1, 'a'), ROW(2, 'b')
SHOW TABLES
SHOW TABLES FROM db LIKE 'wp\_%'
SHOW FULL COLUMNS FROM `t`
SHOW COLUMNS FROM t LIKE 'a'
SHOW INDEXES IN t IN db
SHOW DATABASES LIKE 'x'
SHOW CREATE VIEW v
SHOW CREATE PROCEDURE p
SHOW TABLE STATUS FROM db WHERE Engine = 'InnoDB'
SHOW TRIGGERS LIKE 't'
SHOW FUNCTION STATUS WHERE Db = 'x'
SHOW GRANTS
SHOW CHARACTER SET LIKE 'utf8%'
SHOW COLLATION
EXPLAIN SELECT * FROM t
EXPLAIN FORMAT=JSON SELECT * FROM t WHERE a = 1
DESCRIBE t
DESC t a
HELP 'select'
CHECKSUM TABLE t, db.u
-- found in the servers' own tests
EXPLAIN EXTENDED (SELECT 1) UNION (SELECT 2)
WITH RECURSIVE c AS (SELECT 1 AS a, 2 AS b UNION ALL SELECT 2, 2 FROM c WHERE a IS NOT NULL) CYCLE a, b RESTRICT SELECT * FROM c
WITH RECURSIVE c AS (SELECT 1 AS a) CYCLE a RESTRICT, d (x) AS (SELECT a FROM c) SELECT * FROM d
SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM t, (WITH x (a) AS (SELECT 1), y AS (SELECT 2) SELECT a FROM x, y) AS d
SELECT (WITH x AS (SELECT 1 AS a) SELECT a FROM x) + 1
