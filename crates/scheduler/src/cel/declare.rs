//! The functions of the environment: what a v1.34 API server and scheduler declare for device selectors.
//!
//! A row is `overload-id function style parameters result`, with types in the prefix notation of [`Type::read`]: `m`
//! are members (the first parameter is the target), `g` global functions, and `S`, `N` the same for functions that
//! only stored expressions may use (later versions declare them).

use std::sync::OnceLock;

use super::types::Type;

/// One overload of a function.
#[derive(Clone, Debug)]
pub struct Overload {
    pub id: &'static str,
    pub function: &'static str,
    pub is_member: bool,
    /// Whether new expressions may not use it.
    pub only_stored: bool,
    /// The parameters, then the result.
    pub types: Vec<Type>,
}

const OPERATORS: &str = "\
conditional _?_:_ g bAA A
logical_and _&&_ g bb b
logical_or _||_ g bb b
logical_not !_ g b b
not_strictly_false @not_strictly_false g b b
equals _==_ g AA b
not_equals _!=_ g AA b
add_bytes _+_ g yy y
add_double _+_ g dd d
add_duration_duration _+_ g rr r
add_duration_timestamp _+_ g rt t
add_timestamp_duration _+_ g tr t
add_int64 _+_ g ii i
add_list _+_ g LALA LA
add_string _+_ g ss s
add_uint64 _+_ g uu u
subtract_double _-_ g dd d
subtract_duration_duration _-_ g rr r
subtract_int64 _-_ g ii i
subtract_timestamp_duration _-_ g tr t
subtract_timestamp_timestamp _-_ g tt r
subtract_uint64 _-_ g uu u
multiply_double _*_ g dd d
multiply_int64 _*_ g ii i
multiply_uint64 _*_ g uu u
divide_double _/_ g dd d
divide_int64 _/_ g ii i
divide_uint64 _/_ g uu u
modulo_int64 _%_ g ii i
modulo_uint64 _%_ g uu u
negate_double -_ g d d
negate_int64 -_ g i i
in_list @in g ALA b
in_map @in g AMAB b
index_list _[_] g LAi A
index_map _[_] g MABA B
optional_list_index_int _[_] g OLAi OA
optional_map_index_value _[_] g OMABA OB
list_optindex_optional_int _[?_] g LAi OA
optional_list_optindex_optional_int _[?_] g OLAi OA
map_optindex_optional_value _[?_] g MABA OB
optional_map_optindex_optional_value _[?_] g OMABA OB
@mapInsert_map_map cel.@mapInsert g MABMAB MAB
@mapInsert_map_key_value cel.@mapInsert g MABAB MAB";

/// The parameters of comparisons.
const COMPARED: &str = "bb ii id iu uu ud ui dd di du ss yy tt rr";

const STANDARD: &str = "\
size_bytes size g y i
bytes_size size m y i
size_list size g LA i
list_size size m LA i
size_map size g MAB i
map_size size m MAB i
size_string size g s i
string_size size m s i
type type g A TA
bool_to_bool bool g b b
string_to_bool bool g s b
bytes_to_bytes bytes g y y
string_to_bytes bytes g s y
double_to_double double g d d
int64_to_double double g i d
string_to_double double g s d
uint64_to_double double g u d
duration_to_duration duration g r r
int64_to_duration duration g i r
string_to_duration duration g s r
to_dyn dyn g A D
int64_to_int64 int g i i
double_to_int64 int g d i
duration_to_int64 int g r i
string_to_int64 int g s i
timestamp_to_int64 int g t i
uint64_to_int64 int g u i
string_to_string string g s s
bool_to_string string g b s
bytes_to_string string g y s
double_to_string string g d s
duration_to_string string g r s
int64_to_string string g i s
timestamp_to_string string g t s
uint64_to_string string g u s
ip_to_string string g p s
cidr_to_string string g c s
timestamp_to_timestamp timestamp g t t
int64_to_timestamp timestamp g i t
string_to_timestamp timestamp g s t
uint64_to_uint64 uint g u u
double_to_uint64 uint g d u
int64_to_uint64 uint g i u
string_to_uint64 uint g s u
contains_string contains m ss b
ends_with_string endsWith m ss b
starts_with_string startsWith m ss b
matches matches g ss b
matches_string matches m ss b
timestamp_to_year getFullYear m t i
timestamp_to_year_with_tz getFullYear m ts i
timestamp_to_month getMonth m t i
timestamp_to_month_with_tz getMonth m ts i
timestamp_to_day_of_year getDayOfYear m t i
timestamp_to_day_of_year_with_tz getDayOfYear m ts i
timestamp_to_day_of_month getDayOfMonth m t i
timestamp_to_day_of_month_with_tz getDayOfMonth m ts i
timestamp_to_day_of_month_1_based getDate m t i
timestamp_to_day_of_month_1_based_with_tz getDate m ts i
timestamp_to_day_of_week getDayOfWeek m t i
timestamp_to_day_of_week_with_tz getDayOfWeek m ts i
timestamp_to_hours getHours m t i
timestamp_to_hours_with_tz getHours m ts i
duration_to_hours getHours m r i
timestamp_to_minutes getMinutes m t i
timestamp_to_minutes_with_tz getMinutes m ts i
duration_to_minutes getMinutes m r i
timestamp_to_seconds getSeconds m t i
timestamp_to_seconds_tz getSeconds m ts i
duration_to_seconds getSeconds m r i
timestamp_to_milliseconds getMilliseconds m t i
timestamp_to_milliseconds_with_tz getMilliseconds m ts i
duration_to_milliseconds getMilliseconds m r i";

const EXTENSIONS: &str = "\
string_char_at_int charAt m si s
string_format format m sLD s
string_index_of_string indexOf m ss i
string_index_of_string_int indexOf m ssi i
string_last_index_of_string lastIndexOf m ss i
string_last_index_of_string_int lastIndexOf m ssi i
list_join join m Ls s
list_join_string join m Lss s
string_lower_ascii lowerAscii m s s
string_upper_ascii upperAscii m s s
string_replace_string_string replace m sss s
string_replace_string_string_int replace m sssi s
string_split_string split m ss Ls
string_split_string_int split m ssi Ls
string_substring_int substring m si s
string_substring_int_int substring m sii s
string_trim trim m s s
strings_quote strings.quote g s s
string_find_string find m ss s
string_find_all_string findAll m ss Ls
string_find_all_string_int findAll m ssi Ls
list_a_index_of_int indexOf m LAA i
list_a_last_index_of_int lastIndexOf m LAA i
list_int_sum sum m Li i
list_uint_sum sum m Lu u
list_double_sum sum m Ld d
list_duration_sum sum m Lr r
sets_contains sets.contains g LALA b
sets_equivalent sets.equivalent g LALA b
sets_intersects sets.intersects g LALA b
string_to_url url g s w
is_url_string isURL g s b
url_get_scheme getScheme m w s
url_get_host getHost m w s
url_get_hostname getHostname m w s
url_get_port getPort m w s
url_get_escaped_path getEscapedPath m w s
url_get_query getQuery m w MsLs
string_to_quantity quantity g s q
is_quantity_string isQuantity g s b
quantity_sign sign g q i
quantity_is_greater_than isGreaterThan m qq b
quantity_is_less_than isLessThan m qq b
quantity_compare_to compareTo m qq i
quantity_get_float asApproximateFloat m q d
quantity_get_int asInteger m q i
quantity_is_integer isInteger m q b
quantity_add add m qq q
quantity_add_int add m qi q
quantity_sub sub m qq q
quantity_sub_int sub m qi q
string_to_semver semver g s v
string_bool_to_semver semver g sb v
is_semver_string isSemver g s b
is_semver_string_bool isSemver g sb b
semver_is_greater_than isGreaterThan m vv b
semver_is_less_than isLessThan m vv b
semver_compare_to compareTo m vv i
semver_major major m v i
semver_minor minor m v i
semver_patch patch m v i
string_to_ip ip g s p
cidr_ip ip m c p
is_ip isIP g s b
ip_is_canonical ip.isCanonical g s b
family family m p i
is_unspecified isUnspecified m p b
is_loopback isLoopback m p b
is_link_local_multicast isLinkLocalMulticast m p b
is_link_local_unicast isLinkLocalUnicast m p b
is_global_unicast isGlobalUnicast m p b
string_to_cidr cidr g s c
is_cidr isCIDR g s b
cidr_contains_ip_string containsIP m cs b
cidr_contains_ip_ip containsIP m cp b
cidr_contains_cidr_string containsCIDR m cs b
cidr_contains_cidr containsCIDR m cc b
masked_cidr masked m c c
prefix_length_cidr prefixLength m c i
format-named format.named g s Of
format-validate validate m fs OLs
optional_of optional.of g A OA
optional_ofNonZeroValue optional.ofNonZeroValue g A OA
optional_none optional.none g OA
optional_value value m OA A
optional_hasValue hasValue m OA b
optional_or_optional or m OAOA OA
optional_orValue_value orValue m OAA A
list_first first m LA OA
list_last last m LA OA
optional_unwrap optional.unwrap g LOA LA
optional_unwrapOpt unwrapOpt m LOA LA
list_slice slice S LAii LA
list_flatten flatten S LLA LA
list_flatten_int flatten S LDi LD
lists_range lists.range N i Li
list_distinct distinct S LA LA
list_reverse reverse S LA LA";

/// The types whose lists can be sorted.
const ORDERED: &str = "i u d b r t s y";

/// The formats, as the functions that return them.
const FORMATS: [&str; 14] = [
    "format.dns1123Label",
    "format.dns1123Subdomain",
    "format.dns1035Label",
    "format.qualifiedName",
    "format.dns1123LabelPrefix",
    "format.dns1123SubdomainPrefix",
    "format.dns1035LabelPrefix",
    "format.labelValue",
    "format.uri",
    "format.uuid",
    "format.byte",
    "format.date",
    "format.datetime",
    REGEX,
];

/// A format that only `format.named` returns.
const REGEX: &str = "format.regex";

/// The format with this name.
pub fn format_named(name: &str) -> Option<&'static str> {
    let mut names = FORMATS.iter().filter_map(|it| it.strip_prefix("format."));
    names.find(|known| *known == name)
}

/// `types` are the parameters, then the result.
fn overload(id: &'static str, function: &'static str, style: &str, types: &str) -> Overload {
    let mut read = Vec::new();
    for word in types.split(' ') {
        let mut letters = word.chars();
        while !letters.as_str().is_empty() {
            read.push(Type::read(&mut letters));
        }
    }
    Overload {
        id,
        function,
        is_member: matches!(style, "m" | "S"),
        only_stored: matches!(style, "S" | "N"),
        types: read,
    }
}

fn of_row(row: &'static str) -> Option<Overload> {
    let mut words = row.splitn(4, ' ');
    let (id, function) = (words.next()?, words.next()?);
    Some(overload(id, function, words.next()?, words.next()?))
}

fn ordered(all: &mut Vec<Overload>) {
    for function in ["_<_", "_<=_", "_>_", "_>=_"] {
        for parameters in COMPARED.split(' ') {
            // Only the function decides what these overloads cost, so their ids do not matter.
            let id = match parameters {
                "ss" => "compare_string",
                "yy" => "compare_bytes",
                _ => "compare_scalar",
            };
            all.push(overload(id, function, "g", &format!("{parameters} b")));
        }
    }
    for element in ORDERED.split(' ') {
        let list = format!("L{element}");
        for (id, function, style, result) in [
            ("list_is_sorted", "isSorted", "m", "b"),
            ("list_min", "min", "m", element),
            ("list_max", "max", "m", element),
            ("list_sort", "sort", "S", &list),
        ] {
            all.push(overload(id, function, style, &format!("{list} {result}")));
        }
    }
}

/// All overloads.
pub fn overloads() -> &'static [Overload] {
    static ALL: OnceLock<Vec<Overload>> = OnceLock::new();
    ALL.get_or_init(|| {
        let tables = [OPERATORS, STANDARD, EXTENSIONS];
        let rows = tables.into_iter().flat_map(str::lines);
        let mut all: Vec<Overload> = rows.filter_map(of_row).collect();
        ordered(&mut all);
        for function in FORMATS.into_iter().filter(|it| *it != REGEX) {
            all.push(overload("format-constant", function, "g", "f"));
        }
        all
    })
}

/// The overloads of a function; empty if there is no such function.
pub fn of_function(function: &str, stored: bool) -> impl Iterator<Item = &'static Overload> {
    overloads()
        .iter()
        .filter(move |it| it.function == function && (stored || !it.only_stored))
}

/// The type that a name denotes, as in `type(x) == int`.
pub fn type_named(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "null_type" => Type::Null,
        "list" => Type::List(Box::new(Type::Dyn)),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::Meta(Box::new(Type::Dyn)),
        "optional_type" => Type::Optional(Box::new(Type::Dyn)),
        _ => return None,
    })
}
